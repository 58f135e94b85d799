import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { queryProcesses } from '../process/control-socket.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import { canShrinkInUse, shrinkSqlite } from '../storage/sql/sqlite-shrink.ts';
import type { CommandInput } from './command.ts';

/** Returns the space of deleted rows in the embedded database to the disk. */
export async function shrink({ environment }: CommandInput): Promise<number> {
  const { stores, dataDir } = await loadCommandSettings(environment);
  if (stores !== undefined)
    throw new Error(
      'PostgreSQL uses the space of deleted rows again by itself; VACUUM FULL returns it to the disk, and locks each table meanwhile',
    );
  const file = resolve(dataDir, 'weir.db');
  if (!existsSync(file)) throw new Error(`no database in ${resolve(dataDir)}; see WEIR_DATA_DIR`);
  if (!canShrinkInUse(file)) await requireRewrite(dataDir, file);
  const { before, after } = await shrinkSqlite(file);
  console.log(`${file} had ${formatSize(before)} and has ${formatSize(after)}`);
  return 0;
}

/** The first time, a file of an earlier version is written anew beside the old one. */
async function requireRewrite(dataDir: string, file: string): Promise<void> {
  if ((await queryProcesses(dataDir, { ask: 'log-level' })).length > 0)
    throw new Error(
      `an earlier version made ${file}, so it must be written anew once: stop the gateway first`,
    );
  const { bavail, bsize } = statfsSync(dirname(file));
  const { size } = statSync(file);
  // The new file, and a journal with the pages of the old one.
  if (bavail * bsize < 2 * size)
    throw new Error(`${file} must be written anew once, which needs ${formatSize(2 * size)} of free disk`);
}

function formatSize(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
