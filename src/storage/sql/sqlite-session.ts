import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Lru } from '../../lib/lru.ts';
import type { PoolBounds } from './connection-pool.ts';
import type { PackedResult } from './packed-rows.ts';
import { isStoredRow, parseRows, requestColumns } from './request-log-row.ts';
import { RequestTally } from './request-tally.ts';
import { columnsOf, onConflict, type SumTable } from './sum-table.ts';

export interface SqliteFileOptions {
  readonly file: string;
  readonly bounds: PoolBounds;
}

/** Passes the limit in, because loading all limits takes as long as starting a thread. */
export interface SqliteSessionOptions extends SqliteFileOptions {
  readonly preparedStatementsMax: number;
}

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Calls to store with their sums, all or none, as a JSON array with an array of values per call. */
export interface CallBatchStatement {
  readonly lists: string;
}

const noRows: PackedResult = { columns: [], lists: [] };

/** One synchronous connection to an SQLite file. */
export class SqliteSession {
  readonly #database: DatabaseSync;
  readonly #preparedStatements: Lru<StatementSync>;

  constructor({ file, bounds: { statementMs }, preparedStatementsMax }: SqliteSessionOptions) {
    this.#preparedStatements = new Lru(preparedStatementsMax);
    this.#database = new DatabaseSync(file, { timeout: statementMs });
    // Lets a new file shrink again; an older file keeps its size until it is vacuumed.
    this.#database.exec('pragma auto_vacuum = incremental');
    // Readers don't wait for the writer, and a killed process leaves whole transactions behind.
    retryWhileLocked(statementMs, () => this.#database.exec('pragma journal_mode = wal'));
    // A revoked key must not come back after a power cut.
    this.#database.exec('pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off');
    // Rows of many accounts lie on many pages: more of them in memory, and changed several times before each is copied
    // from the log of writes to the file, take less CPU. In KiB, and in pages of 4 KiB.
    this.#database.exec('pragma cache_size = -16384; pragma wal_autocheckpoint = 4096');
    // Overwrites deleted content, so that nothing of a deleted account is left in the file.
    this.#database.exec('pragma secure_delete = on');
  }

  run(statement: Statement | CallBatchStatement): PackedResult {
    return 'lists' in statement ? this.#addCalls(statement) : this.#runOne(statement);
  }

  close(): void {
    this.#database.close();
  }

  #runOne({ sql, parameters }: Statement): PackedResult {
    // Some failures, such as a full disk, end the transaction by themselves.
    if (sql === 'rollback' && !this.#database.isTransaction) return noRows;
    const statement = this.#prepare(sql);
    if (!parameters.every(isSqlValue)) throw new Error('unsupported parameter type');
    const columns = statement.columns().map(({ name }) => name);
    // `pragma incremental_vacuum` has no columns, and frees a page with each row.
    if (columns.length > 0 || sql.startsWith('pragma '))
      return { columns, lists: statement.all(...parameters) };
    return { ...noRows, changes: Number(statement.run(...parameters).changes) };
  }

  #addCalls({ lists }: CallBatchStatement): PackedResult {
    const rows = parseRows(lists);
    this.#database.exec('begin immediate');
    try {
      const requestTally = new RequestTally();
      for (const row of rows) if (this.#addCall(row)) requestTally.add(row);
      for (const { table, values } of requestTally.rows()) this.#prepare(upsertSql(table)).run(...values);
      this.#database.exec('commit');
    } catch (error) {
      // Some failures end the transaction by themselves.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
    return { ...noRows, changes: rows.length };
  }

  /** False if the call is known. Binds values one by one: extracting them from JSON in SQL would cost twice as much. */
  #addCall(row: readonly unknown[]): boolean {
    const { changes } = isStoredRow(row)
      ? this.#prepare(insertRowSql).run(...toSqlValues(row))
      : this.#prepare('insert into request_ids (id) values (?) on conflict do nothing').run(String(row[0]));
    return changes > 0;
  }

  #prepare(sql: string): StatementSync {
    const existing = this.#preparedStatements.get(sql);
    if (existing !== undefined) return existing;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#preparedStatements.set(sql, statement);
    return statement;
  }
}

/** Failures that are not the statement's fault, by primary result code. */
const failureReasons: ReadonlyMap<number, 'locked' | 'unwritable'> = new Map([
  [5, 'locked'], // SQLITE_BUSY
  [8, 'unwritable'], // SQLITE_READONLY
  [10, 'unwritable'], // SQLITE_IOERR
  [13, 'unwritable'], // SQLITE_FULL
  [14, 'unwritable'], // SQLITE_CANTOPEN, of a further file too
]);

export function failureReasonOf(error: unknown): 'locked' | 'unwritable' | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return failureReasons.get(error.errcode & 0xff);
}

const insertRowSql = `insert into requests (${requestColumns.map(({ name }) => name).join(', ')})
  values (${requestColumns.map(() => '?').join(', ')}) on conflict do nothing`;

/** Stores arrays and objects as JSON text. */
function toSqlValues(row: readonly unknown[]): SQLInputValue[] {
  return row.map((value) => (isSqlValue(value) ? value : JSON.stringify(value)));
}

const upsertTexts = new Map<SumTable, string>();

function upsertSql(table: SumTable): string {
  const existing = upsertTexts.get(table);
  if (existing !== undefined) return existing;
  const columns = columnsOf(table);
  const text = `insert into ${table.name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
    ${onConflict(table)}`;
  upsertTexts.set(table, text);
  return text;
}

/** An object would be taken for named parameters. */
function isSqlValue(value: unknown): value is SQLInputValue {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
  );
}

/** Changing the journal mode does not wait while another process opens the file. */
function retryWhileLocked(timeoutMs: number, work: () => void): void {
  const until = performance.now() + timeoutMs;
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
