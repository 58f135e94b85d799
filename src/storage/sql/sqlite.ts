import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from '../../kernel/ports/records.ts';
import type { PoolBounds } from './connection-pool.ts';
import { defaultPoolBounds, openSqlDatabase, type SqlBackend } from './sql-database.ts';
import { sqliteDialect } from './sql-dialect.ts';
import { SqlitePool } from './sqlite-pool.ts';
import { SqliteThread, type SqliteThreads } from './sqlite-thread.ts';

interface OpenSqliteOptions extends Pick<SqlBackend, 'onStatement' | 'migrationListener'> {
  /** Created if missing, readable only by its owner. */
  readonly file: string;
  readonly bounds?: PoolBounds;
  readonly allowNewerSchema?: boolean;
  readonly threads?: SqliteThreads | undefined;
}

/** A database in one file, which several processes on one machine may open. */
export async function openSqlite({
  file,
  bounds: poolBounds = defaultPoolBounds,
  allowNewerSchema,
  threads,
  ...options
}: OpenSqliteOptions): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite gives its WAL files the mode of the database file.
  closeSync(openSync(file, 'a', 0o600));
  return openSqlDatabase(
    { dialect: sqliteDialect, bounds: poolBounds, createPool: createPoolFor(file, threads), ...options },
    allowNewerSchema,
  );
}

/** A database that is deleted when it is closed. */
export function openSqliteInMemory(options: Pick<SqlBackend, 'onStatement'> = {}): Promise<Database> {
  return openSqlDatabase({
    dialect: sqliteDialect,
    bounds: defaultPoolBounds,
    createPool: createPoolFor(':memory:'),
    isPrivate: true,
    ...options,
  });
}

function createPoolFor(file: string, threads?: SqliteThreads): (poolBounds: PoolBounds) => SqlitePool {
  return (poolBounds) =>
    new SqlitePool({ file, bounds: poolBounds }, (options) => SqliteThread.start(options, threads));
}
