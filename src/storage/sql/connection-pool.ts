/** Database connections. Each is acquired, used by one caller at a time, and released. */
export interface ConnectionPool {
  /** Rejects within a bounded time if no connection is available. */
  acquire(): Promise<PooledConnection>;
  /** Resolves within a bounded time; closes connections that are still in use. */
  close(): Promise<void>;
}

/** A pool that first migrates the database, which may take long, and then serves calls. */
export interface AdjustablePool extends ConnectionPool {
  /** While no connection is in use. */
  changeBounds(poolBounds: PoolBounds): Promise<void>;
}

export interface PooledConnection {
  /** Settles within a bounded time. After a failure that the database did not report, the connection rejects everything. */
  run(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>;
  /** Stores calls and their sums, all or none, from a JSON array with an array of values per call. Calls that are known are left out. */
  addCalls(lists: string): Promise<void>;
  /** Rolls back a failed transaction. If that fails, the connection is not used again. */
  rollback(): Promise<void>;
  release(): void;
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** The number of rows written, if the statement returns no rows. */
  readonly changes?: number | undefined;
}

/** Timeouts and limits, so that nothing hangs or piles up. */
export interface PoolBounds {
  readonly connectionsMax: number;
  /** Timeout for acquiring a connection, whether by opening one or by waiting for one. */
  readonly waitMs: number;
  /** After this time the database cancels a statement; includes waiting for locks. */
  readonly statementMs: number;
  /** After this time we give up the connection. */
  readonly answerMs: number;
}
