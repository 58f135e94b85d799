import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../limits.ts';
import { isLocked } from './sqlite-backup.ts';

/** Returns free pages to the disk; resolves to the bytes of the file before and after. */
export async function shrinkSqlite(
  file: string,
): Promise<{ readonly before: number; readonly after: number }> {
  const before = statSync(file).size;
  const database = new DatabaseSync(file, { timeout: limits.databaseStatementMs });
  try {
    if (readPragma(database, 'auto_vacuum') === incremental) await releasePages(database);
    else rewrite(database, file);
    database.exec('pragma wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
  return { before, after: statSync(file).size };
}

/** Whether it can shrink while a gateway has it open. */
export function canShrinkInUse(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return readPragma(database, 'auto_vacuum') === incremental;
  } finally {
    database.close();
  }
}

/** The value of `pragma auto_vacuum` for files that release pages on request. */
const incremental = 2;

/** In short transactions, with pauses as long as they take, so that the gateway can write in between. */
async function releasePages(database: DatabaseSync): Promise<void> {
  while (readPragma(database, 'freelist_count') > 0) {
    const startedMs = performance.now();
    database.exec(`pragma incremental_vacuum(${limits.fileShrinkPages})`);
    await sleep(performance.now() - startedMs);
  }
}

/** Files of earlier versions: writes the file anew, so that later it can release pages. */
function rewrite(database: DatabaseSync, file: string): void {
  try {
    // Needs exclusive access. All or nothing: a crash leaves the old file.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = delete');
    database.exec('pragma auto_vacuum = incremental; vacuum');
  } catch (cause) {
    if (!isLocked(cause)) throw cause;
    throw new Error(`${file} is open in another program: stop the gateway first`, { cause });
  }
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}
