// Three replicas behind the shipped HAProxy, and every fault that an operator meets: npm run test:faults
import { mountSmallDisk } from '../test/support/small-disk.ts';
import { runTestFiles } from './run-test-files.ts';
import { installOnDebian, isRootOnDebian } from './test-servers/debian.ts';
import { haproxy } from './test-servers/haproxy.ts';
import { postgres } from './test-servers/postgres.ts';
import { isProgram, onPath } from './test-servers/programs.ts';
import { bringUp } from './test-servers.ts';

const pgbouncer = () => onPath('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find(isProgram);
if (pgbouncer() === undefined && isRootOnDebian())
  installOnDebian(['pgbouncer', 'libfaketime', 'redis-server']);
// PostgreSQL has a disk of its own that can be filled.
const disk = mountSmallDisk(512);
if (disk !== undefined) process.env.TMPDIR = disk.folder;
const servers = await bringUp({ ...process.env, TEST_DATABASE_URL: '' }, [postgres, haproxy]);
delete process.env.TMPDIR;
Object.assign(process.env, servers.environment, {
  TEST_DISK: disk?.folder ?? '',
  PGBOUNCER_PATH: pgbouncer() ?? '',
});
const only = process.argv.slice(2);
const files = ['test/faults/behind-haproxy.ts', ...(only.length > 0 ? [] : ['test/full-disk.test.ts'])];
await runTestFiles(files, {
  ...(only.length > 0 && { testNamePatterns: ['three replicas', ...only] }),
  timeout: 1_200_000,
  concurrency: false,
});
await servers.stop();
disk?.unmount();
