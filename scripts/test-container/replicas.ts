import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../test/support/at.ts';
import { eventually } from '../../test/support/eventually.ts';
import { freePort } from '../test-servers/server-process.ts';
import { bringUp } from '../test-servers.ts';
import { Container } from './container.ts';
import type { Engine } from './engine.ts';

const configuration = join(import.meta.dirname, '..', '..', 'deploy', 'replicas', 'haproxy.cfg');

/** What deploy/replicas describes, with servers of this machine instead of their images. */
export async function walkReplicas(engine: Engine, image: string, folder: string): Promise<void> {
  const servers = await bringUp({ ...process.env, CHROMIUM_PATH: 'not needed' });
  const environment = {
    WEIR_MODE: 'cloud',
    DATABASE_URL: servers.environment.TEST_DATABASE_URL ?? process.env.TEST_DATABASE_URL ?? '',
    REDIS_URL: servers.environment.TEST_REDIS_URL ?? process.env.TEST_REDIS_URL ?? '',
    WEIR_SECRET: 'a secret that both replicas have in common',
    WEIR_BASE_URL: 'http://localhost:8080',
    WEIR_TRUST_PROXY: '1',
  };
  const endings = [() => servers.stop()];
  try {
    const start = async () => {
      const replica = await Container.start(engine, { image, environment });
      endings.push(async () => void (await replica.stop()));
      return replica;
    };
    // At once: both find an empty database, and one of them makes its tables.
    const replicas = await Promise.all([start(), start()]);
    const proxy = await startProxy(folder, replicas);
    endings.push(proxy.stop);
    const key = await makeKey(proxy.url);
    for (const replica of replicas) {
      for (let calls = 0; calls < 4; calls++) await streamedCall(proxy.url, key);
      assert.equal(await replica.stop(), 0);
    }
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

async function startProxy(folder: string, replicas: readonly Container[]) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = mkdtempSync(join(folder, 'haproxy-'));
  const file = join(own, 'haproxy.cfg');
  const hosts = replicas.map((replica) => new URL(replica.url).host);
  const text = readFileSync(configuration, 'utf8').replace('bind :8080', `bind 127.0.0.1:${port}`);
  writeFileSync(
    file,
    hosts.reduce((lines, host, at) => lines.replaceAll(`weir-${at + 1}:3099`, host), text),
  );
  const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const over = once(proxy, 'exit');
  const stop = async () => {
    proxy.kill();
    await over;
  };
  await eventually(() =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    ),
  );
  return { url, stop };
}

async function makeKey(url: string): Promise<string> {
  const person = { email: 'ada@example.com', password: 'correct horse battery' };
  const signedUp = await posted(`${url}/v1/users/signup`, person, {});
  const made = await posted(`${url}/v1/keys`, {}, { authorization: `Bearer ${at(signedUp, 'token')}` });
  return String(at(made, 'key'));
}

async function posted(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 201);
  return answer.json();
}

async function streamedCall(url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      model: 'demo-1',
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /message_stop/);
}
