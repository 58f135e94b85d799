import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { limits } from '../limits.ts';

/** A lock file that belongs to one process until it releases it, or until it ends in any way. */
export interface FileLock {
  release(): void;
}

const createTriesMax = 3;

/** Creates the lock file of this process. */
export function createLock(path: string): FileLock {
  for (let tries = 0; tries < createTriesMax; tries++) {
    closeSync(openSync(path, 'a', 0o600));
    const lock = tryLock(path, limits.lockWaitMs);
    if (typeof lock !== 'string' && existsSync(path)) return lock;
    // A process that looked for dead ones found the file before it was locked, and removed it.
    if (typeof lock !== 'string') lock.release();
  }
  throw new Error(`could not lock ${path}`);
}

/** Locks the file of a dead process; undefined if the process is alive, or if another process has locked the file. */
export function lockOfDeadProcess(path: string): FileLock | undefined {
  const lock = tryLock(path, 0);
  if (lock === 'held') return undefined;
  return lock === 'missing' ? { release: () => undefined } : lock;
}

/** Node.js has no file locks, but SQLite does, on every system. The operating system ends them with the process. */
function tryLock(path: string, waitMs: number): FileLock | 'held' | 'missing' {
  const url = pathToFileURL(path);
  // Without creating it: whoever comes late must not leave an empty file.
  url.searchParams.set('mode', 'rw');
  const database = new DatabaseSync(url, { open: false, timeout: waitMs });
  try {
    database.open();
    // Nothing is ever written: it needs no rollback journal.
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    if (database.isOpen) database.close();
    if (isBusy(error)) return 'held';
    if (!existsSync(path)) return 'missing';
    throw error;
  }
  return {
    release() {
      try {
        // While it is locked, so that nobody locks a file that is about to be removed.
        rmSync(path, { force: true });
      } catch {
        // Some systems remove no open files. An unlocked one is harmless.
      }
      database.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  const busy = 5;
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === busy;
}
