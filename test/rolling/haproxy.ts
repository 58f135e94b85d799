import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../../scripts/test-servers/server-process.ts';
import { eventually } from '../support/eventually.ts';

/** As in docs/guides/operating.md, with checks more often. */
function settings(port: number, replicas: readonly number[]): string {
  const servers = replicas.map((replica, at) => `  server weir${at + 1} 127.0.0.1:${replica}`).join('\n');
  return `
global
  maxconn 1000
defaults
  mode http
  timeout connect 5s
  timeout check 5s
  timeout client 60s
  timeout server 60s
  timeout http-keep-alive 60s
  option redispatch
frontend weir
  bind 127.0.0.1:${port}
  use_backend unready if { nbsrv(replicas) eq 0 }
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk
  http-check send meth GET uri /ready
  http-check expect status 200
  default-server check inter 200ms fall 3 rise 1
${servers}
backend unready
${servers}
`;
}

/** A load balancer in front of replicas; resolves to its address. */
export async function startHaproxy(t: TestContext, replicas: readonly number[]): Promise<string> {
  const program = process.env.HAPROXY_PATH;
  if (!program) throw new Error('HAPROXY_PATH is not set: run this with npm run test:rolling');
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
