// The thread with the connection to SQLite. Runs one statement after the other.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Lru } from '../../lib/lru.ts';
import type { StatementResult } from './connection-pool.ts';
import { RequestTally } from './request-tally.ts';
import type { BatchStatement, SqliteWorkerData, SqliteWorkerMessage, Statement } from './sqlite-thread.ts';

const { file, bounds: poolBounds, preparedStatementsMax }: SqliteWorkerData = workerData;
const preparedStatements = new Lru<StatementSync>(preparedStatementsMax);
const database = new DatabaseSync(file, { open: false, timeout: poolBounds.statementMs });

/** Failures that are not the statement's fault, by primary result code. */
const failureReasons: ReadonlyMap<number, 'locked' | 'unwritable'> = new Map([
  [5, 'locked'], // SQLITE_BUSY
  [8, 'unwritable'], // SQLITE_READONLY
  [10, 'unwritable'], // SQLITE_IOERR
  [13, 'unwritable'], // SQLITE_FULL
  [14, 'unwritable'], // SQLITE_CANTOPEN, of a further file too
]);

postResult(() => {
  database.open();
  // Readers don't wait for the writer, and a killed process leaves whole transactions behind.
  retryWhileLocked(() => database.exec('pragma journal_mode = wal'));
  // A revoked key must not come back after a power cut.
  database.exec('pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off');
  // Overwrites deleted content, so that nothing of a deleted account is left in the file.
  database.exec('pragma secure_delete = on');
  return { rows: [] };
});
parentPort?.on('message', (message: Statement | BatchStatement | 'close') => {
  if (message !== 'close') postResult(() => ('lists' in message ? runBatch(message) : run(message)));
  else {
    postResult(() => {
      database.close();
      return { rows: [] };
    });
    parentPort?.close();
  }
});

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

function run({ sql, parameters }: Statement): StatementResult {
  // Some failures, such as a full disk, end the transaction by themselves.
  if (sql === 'rollback' && !database.isTransaction) return { rows: [] };
  const statement = prepare(sql);
  if (!parameters.every(isSqlValue)) throw new Error('unsupported parameter type');
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

function runBatch({ sql, lists, table }: BatchStatement): StatementResult {
  const statement = prepare(sql);
  const all: unknown = JSON.parse(lists);
  if (!Array.isArray(all)) throw new Error('expected an array of rows');
  database.exec('begin immediate');
  try {
    const requestTally = table === 'requests' ? new RequestTally() : undefined;
    for (const list of all) if (statement.run(...toSqlValues(list)).changes > 0) requestTally?.add(list);
    for (const row of requestTally?.rows() ?? []) prepare(row.sql).run(...row.values);
    database.exec('commit');
  } catch (error) {
    // Some failures end the transaction by themselves.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
  return { rows: [], changes: all.length };
}

/** Stores arrays and objects as JSON text. Copies the row only if it has one. */
function toSqlValues(list: unknown): SQLInputValue[] {
  if (!Array.isArray(list)) throw new Error('expected an array of values');
  let values = list;
  for (let at = 0; at < list.length; at++) {
    if (isSqlValue(list[at])) continue;
    if (values === list) values = list.slice();
    values[at] = JSON.stringify(list[at]);
  }
  return values;
}

function prepare(sql: string): StatementSync {
  const existing = preparedStatements.get(sql);
  if (existing !== undefined) return existing;
  const statement = database.prepare(sql);
  preparedStatements.set(sql, statement);
  return statement;
}

/** An object would be taken for named parameters. */
function isSqlValue(value: unknown): value is SQLInputValue {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
  );
}

/** Changing the journal mode does not wait while another process opens the file. */
function retryWhileLocked(work: () => void): void {
  const until = performance.now() + poolBounds.statementMs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (failureReasonOf(error) !== 'locked' || performance.now() > until) throw error;
      Atomics.wait(pause, 0, 0, 10);
    }
  }
}

function failureReasonOf(error: unknown): 'locked' | 'unwritable' | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return failureReasons.get(error.errcode & 0xff);
}
