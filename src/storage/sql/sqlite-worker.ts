// The thread with the connection to SQLite. Opens one file at a time and runs one statement after the other.
import { parentPort } from 'node:worker_threads';
import type { PackedResult } from './packed-rows.ts';
import { failureReasonOf, SqliteSession, type SqliteSessionOptions } from './sqlite-session.ts';
import type { SqliteWorkerMessage, SqliteWorkerRequest } from './sqlite-thread.ts';

let session: SqliteSession | undefined;

parentPort?.on('message', (request: SqliteWorkerRequest) => {
  if (request === 'end') parentPort?.close();
  else if (request === 'close') postResult(close);
  else if ('file' in request) postResult(() => open(request));
  else postResult(() => openSession().run(request));
});

function open(options: SqliteSessionOptions): PackedResult {
  session = new SqliteSession(options);
  return { columns: [], lists: [] };
}

function close(): PackedResult {
  openSession().close();
  session = undefined;
  return { columns: [], lists: [] };
}

function openSession(): SqliteSession {
  if (session === undefined) throw new Error('the database is not open');
  return session;
}

function postResult(work: () => PackedResult): void {
  let sqliteWorkerMessage: SqliteWorkerMessage;
  try {
    sqliteWorkerMessage = work();
  } catch (error) {
    sqliteWorkerMessage = {
      refused: error instanceof Error ? error.message : String(error),
      because: failureReasonOf(error),
    };
  }
  parentPort?.postMessage(sqliteWorkerMessage);
}
