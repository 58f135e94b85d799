// The thread with the connection to SQLite. Opens one file at a time and runs one statement after the other.
import { parentPort } from 'node:worker_threads';
import type { StatementResult } from './connection-pool.ts';
import { failureReasonOf, SqliteSession, type SqliteSessionOptions } from './sqlite-session.ts';
import type { SqliteWorkerMessage, SqliteWorkerRequest } from './sqlite-thread.ts';

let session: SqliteSession | undefined;

parentPort?.on('message', (request: SqliteWorkerRequest) => {
  if (request === 'end') parentPort?.close();
  else if (request === 'close') postResult(close);
  else if ('file' in request) postResult(() => open(request));
  else postResult(() => openSession().run(request));
});

function open(options: SqliteSessionOptions): StatementResult {
  session = new SqliteSession(options);
  return { rows: [] };
}

function close(): StatementResult {
  openSession().close();
  session = undefined;
  return { rows: [] };
}

function openSession(): SqliteSession {
  if (session === undefined) throw new Error('the database is not open');
  return session;
}

function postResult(work: () => StatementResult): void {
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
