// The thread with the connection to SQLite. Runs one statement after the other.
import { parentPort, workerData } from 'node:worker_threads';
import type { StatementResult } from './connection-pool.ts';
import { type CallBatchStatement, failureReasonOf, SqliteSession, type Statement } from './sqlite-session.ts';
import type { SqliteWorkerMessage } from './sqlite-thread.ts';

let session: SqliteSession | undefined;

postResult(() => {
  session = new SqliteSession(workerData);
  return { rows: [] };
});
parentPort?.on('message', (message: Statement | CallBatchStatement | 'close') => {
  if (message !== 'close') postResult(() => openSession().run(message));
  else {
    postResult(() => {
      openSession().close();
      return { rows: [] };
    });
    parentPort?.close();
  }
});

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
