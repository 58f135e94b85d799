import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Environment } from '../src/gateway/settings.ts';
import { readSettings } from '../src/gateway/settings.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { eventually } from './support/eventually.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const question = { model: 'demo-1', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] };
/** `npm run test:reload` takes more. */
const reloads = Number(process.env.TEST_RELOADS ?? 8);

async function startReloadable(t: TestContext, environment: Environment = {}) {
  const folder = emptyFolder(t);
  const settings = { PORT: '0', WEIR_DATA_DIR: folder, WEIR_DASHBOARD: 'off', ...environment };
  const started = await startTestGateway(settings);
  cleanUp(t, () => started.close());
  const reload = (changes: Environment) => started.gateway.reload(readSettings({ ...settings, ...changes }));
  return { ...started, reload };
}

/** Clients that call one after the other on connections that they keep, until they are stopped. */
function startClients(url: string, count: number) {
  const failures: string[] = [];
  let done = 0;
  let isStopped = false;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isStopped) {
      const answer = await call(url, { path: '/v1/messages', body: question, agent }).catch(
        (error: unknown) => ({
          status: 0,
          text: String(error),
        }),
      );
      if (answer.status === 200) done++;
      else failures.push(`${answer.status} ${answer.text}`);
    }
    agent.destroy();
  };
  const clients = Array.from({ length: count }, client);
  return {
    done: () => done,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      return { failures, done };
    },
  };
}

test('reloads under load fail no call, keep connections, counts and metrics, and leave nothing behind', async (t) => {
  const { url, gateway, reload } = await startReloadable(t);
  const clients = startClients(url, 2);
  const handles = () => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length;
  let first = 0;
  for (let at = 0; at < reloads; at++) {
    const before = clients.done();
    await reload({ WEIR_PIPELINE: at % 2 === 0 ? 'exact-cache' : '', WEIR_LOG_DAYS: String(at + 1) });
    await eventually(() => (clients.done() > before ? true : undefined));
    if (at === 2) first = handles();
  }
  const { failures, done } = await clients.stop();
  assert.deepEqual(failures, []);
  const requests = [...gateway.metrics().matchAll(/^weir_requests_total\{[^}]*\} (\d+)/gm)];
  assert.equal(
    requests.reduce((sum, [, count]) => sum + Number(count), 0),
    done,
  );
  assert.equal([...gateway.metrics().matchAll(/^weir_config_info\{/gm)].length, 1);
  // A few of the former generations may still be closing.
  await eventually(() => (handles() <= first + 2 ? true : undefined));
});

test('a stream that began before a reload goes on with the settings it began with', async (t) => {
  const { url, reload } = await startReloadable(t, { WEIR_KEEP_ALIVE: '1h' });
  const body = { ...question, stream: true, messages: [{ role: 'user', content: 'Tell me about the sea' }] };
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await reload({ WEIR_PIPELINE: 'exact-cache' });
  assert.match(await response.text(), /message_stop/);
  assert.equal(response.headers.get('x-weir-cache'), 'bypass');
  await call(url, { path: '/v1/messages', body: question });
  const again = await call(url, { path: '/v1/messages', body: question });
  assert.equal(again.headers['x-weir-cache'], 'hit');
});

test('limits count across reloads, and data in memory stays', async (t) => {
  const limit = { WEIR_LIMIT_REQUESTS_PER_MINUTE: '3', WEIR_DATA_DIR: ':memory:' };
  const { url, reload } = await startReloadable(t, limit);
  for (const days of ['1', '2', '3']) {
    assert.equal((await call(url, { path: '/v1/messages', body: question })).status, 200);
    await reload({ WEIR_LOG_DAYS: days });
  }
  assert.equal((await call(url, { path: '/v1/messages', body: question })).status, 429);
  await eventually(async () => {
    const { json } = await call(url, { path: '/v1/requests' });
    return Array.isArray(json.requests) && json.requests.length >= 3 ? true : undefined;
  });
});

test('settings that are wrong, or that hold for a process, change nothing and are named', async (t) => {
  const { url, reload } = await startReloadable(t, { WEIR_SECRET: 's'.repeat(32) });
  const { json: before } = await call(url, { path: '/v1/pipeline' });
  await assert.rejects(reload({ WEIR_PIPELINE: 'no-such-module' }), /no-such-module/);
  await assert.rejects(reload({ WEIR_CONFIGURATIONS: '{"nosuch": {"a": {}}}' }), /there is no such module/);
  const wrong = { WEIR_MODE: 'cloud', PORT: '1', WEIR_SECRET: 'hunter2'.repeat(6), WEIR_LOG_DAYS: '5' };
  await assert.rejects(reload(wrong), ({ message }: Error) => {
    assert.match(
      message,
      /WEIR_MODE: can't change .* \(local before, cloud now\)\nPORT: .*\nWEIR_SECRET: [^(]*$/,
    );
    return !message.includes('hunter2');
  });
  assert.deepEqual((await call(url, { path: '/v1/pipeline' })).json, before);
});

for (const workers of [1, 2])
  test(`a changed file, a signal and a request reload ${workers === 1 ? 'one process' : 'workers'}; a broken file changes nothing`, async (t) => {
    const folder = emptyFolder(t);
    mkdirSync(join(folder, 'a'));
    const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
    // As Kubernetes mounts a map: a link to a folder, which is replaced.
    write('a/weir.yaml', 'log: {level: error}\npipeline: exact-cache\n');
    symlinkSync('a', join(folder, 'now'));
    const environment = { WEIR_CONFIG: 'now/weir.yaml', WEIR_WORKERS: String(workers) };
    const weir = new WeirProcess(t, { folder, environment });
    const url = await weir.listening;
    const pipeline = async () => (await call(url, { path: '/v1/pipeline' })).json.pipelineConfig;
    const becomes = (list: string) =>
      eventually(async () => ((await pipeline()) === list ? true : undefined));
    await becomes('exact-cache');

    mkdirSync(join(folder, 'b'));
    write('b/weir.yaml', 'log: {level: error}\npipeline: tool-cache\n');
    symlinkSync('b', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'now'));
    await becomes('tool-cache');

    write('b/weir.yaml', 'pipelin: exact-cache\nlog: {level: loud}\n');
    const refused = await call(url, { method: 'POST', path: '/v1/admin/reload' });
    assert.equal(refused.status, 400);
    assert.match(
      refused.text,
      /now\/weir.yaml:1:1: .*did you mean \\"pipeline\\"\?.*weir.yaml:2:14: log.level/,
    );
    assert.equal(await pipeline(), 'tool-cache');

    write('b/weir.yaml', 'log: {level: error}\npipeline: exact-cache\nrequest_log: {days: 3}\n');
    const reloaded = await call(url, { method: 'POST', path: '/v1/admin/reload' });
    assert.equal(reloaded.status, 200, reloaded.text);
    assert.deepEqual(reloaded.json.changed, ['pipeline', 'request_log.days']);
    await becomes('exact-cache');

    // New processes take seconds of CPU time; test/workers.test.ts sends them the signal.
    if (workers === 1) {
      write('b/weir.yaml', 'log: {level: error}\npipeline: tool-cache\n');
      weir.signal('SIGHUP');
      await becomes('tool-cache');
    }
    const { text } = await call(url, { path: '/metrics' });
    assert.match(text, /weir_config_info\{version="[0-9a-f]{12}"/);
    // Processes of the last reload may still be starting.
    weir.signal('SIGTERM');
    assert.equal((await weir.exited).code, 0);
  });
