import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { isProgram, onPath } from './programs.ts';
import type { Requirement, Started } from './requirement.ts';
import { freePort, type SystemUser, startServer } from './server-process.ts';

/** Debian and Red Hat keep the server's programs off the path. */
const folders = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin'];

/** A crash of the machine may lose a test's data, and nothing waits for the disk. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

export const postgres: Requirement = {
  title: 'PostgreSQL',
  variable: 'TEST_DATABASE_URL',
  packageName: 'postgresql',
  find: () => onPath('initdb') ?? globSync(folders.map((folder) => join(folder, 'initdb'))).find(isProgram),
  start,
};

async function start(initdb: string): Promise<Started> {
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'weir-postgres-'));
  const data = join(folder, 'data');
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const layOut = ['-D', data, '-U', 'weir', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(initdb, [...layOut, '-A', 'password', `--pwfile=${passwordFile}`], {
    ...user,
    cwd: folder,
  });
  const port = await freePort();
  const value = `postgres://weir:${password}@127.0.0.1:${port}/postgres`;
  const options = Object.entries({ ...settings, port }).flatMap(([name, set]) => ['-c', `${name}=${set}`]);
  const stop = await startServer({
    command: join(dirname(initdb), 'postgres'),
    args: ['-D', data, ...options],
    folder,
    user,
    answers: () => answersAt(value),
  });
  return { value, stop };
}

export async function answersAt(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export function unprivileged(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody"');
  return { uid: Number(uid), gid: Number(gid) };
}
