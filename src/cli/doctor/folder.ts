import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Settings } from '../../gateway/settings.ts';
import { limits } from '../../kernel/limits.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import { hasReceiptKeys } from '../../storage/sql/sqlite-backup.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const mebibyte = 1024 * 1024;

/** The data folder: whether it can be used, by whom, and how much room there is. */
export async function folderFindings({ dataDir, stores, secret }: Settings): Promise<readonly Finding[]> {
  if (dataDir === inMemoryDataDir)
    return [ok('data folder', 'none: everything is in memory, and gone with the process')];
  const folder = resolve(dataDir);
  const there = nearestExisting(folder);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch (thrown) {
    const todo = `let the user ${process.getuid?.() ?? ''} that runs Weir write there, or set WEIR_DATA_DIR`;
    return [fail('data folder', `${folder} can't be written (${reasonOf(thrown)})`, todo)];
  }
  const isNew = there !== folder;
  const found = ok('data folder', isNew ? `${folder} is made at the first start` : folder);
  const needsSecret = stores === undefined && secret === undefined;
  return [
    found,
    ...(isNew ? [] : permissionFindings(folder)),
    ...(needsSecret && !isNew ? await secretFinding(join(folder, 'secret'), join(folder, 'weir.db')) : []),
    diskFinding(there),
  ];
}

/** The folder itself, or the nearest above it. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function permissionFindings(folder: string): readonly Finding[] {
  const open = ['', 'secret', 'weir.db']
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  if (open.length === 0) return [ok('permissions', 'the data folder is for its owner only')];
  return [
    warn('permissions', `others may look into ${open.join(', ')}`, `run: chmod go-rwx ${open.join(' ')}`),
  ];
}

async function secretFinding(secret: string, database: string): Promise<readonly Finding[]> {
  if (existsSync(secret)) return [ok('secret', secret)];
  // One that can't be read is told of as such.
  if (!existsSync(database) || !(await hasReceiptKeys(database).catch(() => true)))
    return [ok('secret', `${secret} is made at the first start`)];
  return [
    fail(
      'secret',
      `${secret} is gone, and with it what opens stored provider keys and sessions`,
      'put it back, or set WEIR_SECRET; else a new one is made and they are lost',
    ),
  ];
}

function diskFinding(folder: string): Finding {
  const { bavail, bsize, blocks } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${Math.floor(free / mebibyte)} MiB are free of ${Math.floor((blocks * bsize) / mebibyte)} in ${folder}`;
  const todo = 'make room, or set WEIR_DATA_DIR; WEIR_LOG_DAYS and WEIR_LOG_ROWS bound the request log';
  if (free < limits.doctorDiskBytesMin) return fail('disk', found, todo);
  return free < limits.doctorDiskBytesLow ? warn('disk', found, todo) : ok('disk', found);
}
