// The thread that holds the connection to SQLite and runs one statement after the other.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { limits } from '../../kernel/limits.ts';
import { Lru } from '../../kernel/lru.ts';
import type { Answer } from './lines.ts';
import type { Said, SqliteFile, Statement } from './sqlite-thread.ts';

const { file, bounds }: SqliteFile = workerData;
const prepared = new Lru<StatementSync>(limits.preparedStatementsMax);
const database = new DatabaseSync(file, { open: false, timeout: bounds.statementMs });

tell(() => {
  database.open();
  // Readers don't wait for the writer, and a killed process leaves whole transactions behind.
  whenUnlocked(() => database.exec('pragma journal_mode = wal'));
  // A revoked key must not come back after a power cut.
  database.exec('pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off');
  return { rows: [] };
});
parentPort?.on('message', (message: Statement | 'close') => {
  if (message !== 'close') tell(() => run(message));
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
    said = { refused: error instanceof Error ? error.message : String(error), locked: isLocked(error) };
  }
  parentPort?.postMessage(said);
}

function run({ sql, parameters }: Statement): Answer {
  const statement = prepared.get(sql) ?? database.prepare(sql);
  prepared.set(sql, statement);
  if (!parameters.every(isValue)) throw new Error('a value is of no kind that SQLite has');
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
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
      if (!isLocked(error) || performance.now() > until) throw error;
      Atomics.wait(pause, 0, 0, 10);
    }
  }
}

/** SQLITE_BUSY, whatever its further reason. */
function isLocked(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === 5
  );
}
