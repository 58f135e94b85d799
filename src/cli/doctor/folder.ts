import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { diskCheck } from '../../gateway/checks/disk.ts';
import type { Settings } from '../../gateway/settings.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import { hasReceiptKeys } from '../../storage/sql/sqlite-backup.ts';
import { type NamedResult, reasonOf, runChecks } from '../../telemetry/diagnostics.ts';
import { fail, ok, warn } from './finding.ts';

/** Checks the data folder: access, permissions and free space. */
export async function folderFindings({ dataDir, stores, secret }: Settings): Promise<readonly NamedResult[]> {
  if (dataDir === inMemoryDataDir)
    return [ok('data folder', 'none: all data is in memory and lost when the process ends')];
  const folder = resolve(dataDir);
  const there = nearestExisting(folder);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch (thrown) {
    const todo = `give the user ${process.getuid?.() ?? ''} that runs Weir write access, or set WEIR_DATA_DIR`;
    return [fail('data folder', `${folder} is not writable (${reasonOf(thrown)})`, todo)];
  }
  const isNew = there !== folder;
  const finding = ok('data folder', isNew ? `${folder} will be created at the first start` : folder);
  const needsSecret = stores === undefined && secret === undefined;
  return [
    finding,
    ...(isNew ? [] : permissionFindings(folder)),
    ...(needsSecret && !isNew ? await secretFinding(join(folder, 'secret'), join(folder, 'weir.db')) : []),
    ...(await runChecks([diskCheck(there)])),
  ];
}

/** The folder itself, or its nearest existing parent. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function permissionFindings(folder: string): readonly NamedResult[] {
  const open = ['', 'secret', 'weir.db']
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  if (open.length === 0) return [ok('permissions', 'only the owner can access the data folder')];
  return [
    warn('permissions', `other users can read ${open.join(', ')}`, `run: chmod go-rwx ${open.join(' ')}`),
  ];
}

async function secretFinding(secret: string, database: string): Promise<readonly NamedResult[]> {
  if (existsSync(secret)) return [ok('secret', secret)];
  // An unreadable database has its own finding.
  if (!existsSync(database) || !(await hasReceiptKeys(database).catch(() => true)))
    return [ok('secret', `${secret} will be created at the first start`)];
  return [
    fail(
      'secret',
      `${secret} is missing: stored provider keys and sessions cannot be decrypted`,
      'restore it, or set WEIR_SECRET; otherwise a new one is created and they are lost',
    ),
  ];
}
