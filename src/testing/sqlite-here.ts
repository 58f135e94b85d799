import { limits } from '../storage/limits.ts';
import { unpack } from '../storage/sql/packed-rows.ts';
import type { SqliteRunner } from '../storage/sql/sqlite-pool.ts';
import { type SqliteFileOptions, SqliteSession } from '../storage/sql/sqlite-session.ts';

/** Opens a file on this thread, because another one takes 35 ms of CPU time to start. */
export function openSessionHere(options: SqliteFileOptions): SqliteSession {
  return new SqliteSession({ ...options, preparedStatementsMax: limits.preparedStatementsMax });
}

/** Runs statements on this thread. Results are copied, as they are on their way between threads. */
export function runHere(session: SqliteSession): SqliteRunner {
  return {
    isLost: false,
    run: async (statement) => unpack(structuredClone(session.run(statement))),
    changeBounds: async () => undefined,
    close: async () => session.close(),
    abandon: () => session.close(),
  };
}
