import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath } from './programs.ts';
import type { Requirement, Started } from './requirement.ts';
import { freePort, startServer } from './server-process.ts';

export const redis: Requirement = {
  title: 'Redis or Valkey',
  variable: 'TEST_REDIS_URL',
  packageName: 'redis-server',
  find: () => onPath('redis-server') ?? onPath('valkey-server'),
  start,
};

async function start(program: string): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'));
  const port = await freePort();
  const password = randomBytes(16).toString('hex');
  const settings = join(folder, 'redis.conf');
  // Enough databases for each test to have its own.
  const lines = ['bind 127.0.0.1', `port ${port}`, `requirepass ${password}`, 'databases 1000', 'save ""'];
  writeFileSync(settings, [...lines, `dir ${folder}`].join('\n'), { mode: 0o600 });
  const stop = await startServer({
    command: program,
    args: [settings],
    folder,
    answers: () => listens(port),
  });
  return { value: `redis://:${password}@127.0.0.1:${port}`, stop };
}

export async function listens(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
