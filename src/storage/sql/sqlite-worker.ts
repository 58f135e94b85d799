// The thread that holds the connection to SQLite and runs one statement after the other.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Lru } from '../../kernel/lru.ts';
import type { Answer } from './links.ts';
import { Tally } from './request-tally.ts';
import type { RepeatedStatement, Said, Statement, ThreadStart } from './sqlite-thread.ts';

const { file, bounds, preparedStatementsMax }: ThreadStart = workerData;
const prepared = new Lru<StatementSync>(preparedStatementsMax);
const database = new DatabaseSync(file, { open: false, timeout: bounds.statementMs });

/** What has nothing to do with the statement, by SQLite's code without its further reason. */
const reasons: ReadonlyMap<number, 'locked' | 'unwritable'> = new Map([
  [5, 'locked'], // SQLITE_BUSY
  [8, 'unwritable'], // SQLITE_READONLY
  [10, 'unwritable'], // SQLITE_IOERR
  [13, 'unwritable'], // SQLITE_FULL
  [14, 'unwritable'], // SQLITE_CANTOPEN, of a further file too
]);

tell(() => {
  database.open();
  // Readers don't wait for the writer, and a killed process leaves whole transactions behind.
  whenUnlocked(() => database.exec('pragma journal_mode = wal'));
  // A revoked key must not come back after a power cut.
  database.exec('pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off');
  // What is deleted is overwritten: of an account that is gone nothing is left in the file.
  database.exec('pragma secure_delete = on');
  return { rows: [] };
});
parentPort?.on('message', (message: Statement | RepeatedStatement | 'close') => {
  if (message !== 'close') tell(() => ('lists' in message ? repeat(message) : run(message)));
  else {
    tell(() => {
      database.close();
      return { rows: [] };
    });
    parentPort?.close();
  }
});

function tell(work: () => Answer): void {
  let said: Said;
  try {
    said = work();
  } catch (error) {
    said = { refused: error instanceof Error ? error.message : String(error), because: reasonOf(error) };
  }
  parentPort?.postMessage(said);
}

function run({ sql, parameters }: Statement): Answer {
  // A full disk, for one, ends a transaction by itself.
  if (sql === 'rollback' && !database.isTransaction) return { rows: [] };
  const statement = preparedFor(sql);
  if (!parameters.every(isValue)) throw new Error('a value is of no kind that SQLite has');
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

function repeat({ sql, lists, table }: RepeatedStatement): Answer {
  const statement = preparedFor(sql);
  const all: unknown = JSON.parse(lists);
  if (!Array.isArray(all)) throw new Error('this is no list of lists');
  database.exec('begin immediate');
  try {
    const tally = table === 'requests' ? new Tally() : undefined;
    for (const list of all) if (statement.run(...valuesOf(list)).changes > 0) tally?.add(list);
    for (const row of tally?.rows() ?? []) preparedFor(row.sql).run(...row.values);
    database.exec('commit');
  } catch (error) {
    // Some failures end it by themselves.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
  return { rows: [], changes: all.length };
}

/** Lists and objects are kept as the text they are; a row is copied where it has one, and not looked through twice. */
function valuesOf(list: unknown): SQLInputValue[] {
  if (!Array.isArray(list)) throw new Error('this is no list of values');
  let values = list;
  for (let at = 0; at < list.length; at++) {
    if (isValue(list[at])) continue;
    if (values === list) values = list.slice();
    values[at] = JSON.stringify(list[at]);
  }
  return values;
}

function preparedFor(sql: string): StatementSync {
  const known = prepared.get(sql);
  if (known !== undefined) return known;
  const statement = database.prepare(sql);
  prepared.set(sql, statement);
  return statement;
}

/** The statement itself would take an object for a list of named values. */
function isValue(value: unknown): value is SQLInputValue {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
  );
}

/** Changing the journal doesn't wait by itself where another process opens the file at the same time. */
function whenUnlocked(work: () => void): void {
  const until = performance.now() + bounds.statementMs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (reasonOf(error) !== 'locked' || performance.now() > until) throw error;
      Atomics.wait(pause, 0, 0, 10);
    }
  }
}

function reasonOf(error: unknown): 'locked' | 'unwritable' | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return reasons.get(error.errcode & 0xff);
}
