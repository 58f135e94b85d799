import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../../scripts/test-servers/server-process.ts';
import { eventually } from '../support/eventually.ts';

const shipped = join(import.meta.dirname, '..', '..', 'deploy', 'replicas', 'haproxy.cfg');

/** The settings that Weir ships, with other addresses. */
function settings(port: number, replicas: readonly number[]): string {
  const servers = replicas.map((replica, at) => `  server weir-${at + 1} 127.0.0.1:${replica}`).join('\n');
  return readFileSync(shipped, 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^resolvers names\n(?: .*\n)*/m, '')
    .replaceAll(' resolvers names init-addr last,libc,none', '')
    .replaceAll(/^ {2}server weir-1 .*\n {2}server weir-2 .*$/gm, servers);
}

/** A load balancer in front of replicas; resolves to its address. */
export async function startHaproxy(t: TestContext, replicas: readonly number[]): Promise<string> {
  const program = process.env.HAPROXY_PATH;
  if (!program) throw new Error('HAPROXY_PATH is not set: run this with npm run test:rolling or test:faults');
  const folder = mkdtempSync(join(tmpdir(), 'weir-haproxy-'));
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, settings(port, replicas));
  const haproxy = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(async () => {
    haproxy.kill('SIGKILL');
    if (haproxy.exitCode === null && haproxy.signalCode === null) await once(haproxy, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    return once(socket, 'connect')
      .then(
        () => true,
        () => undefined,
      )
      .finally(() => socket.destroy());
  });
  return `http://127.0.0.1:${port}`;
}
