/** A database as a queue of statements sees it: links that are taken, used by one at a time, and given back. */
export interface ConnectionPool {
  /** Rejects within a bounded time when there is no link to be had. */
  acquire(): Promise<PooledConnection>;
  /** Resolves within a bounded time; who still has a link loses it. */
  close(): Promise<void>;
}

export interface PooledConnection {
  /** Settles within a bounded time. A link that failed without the database's word for it answers nothing more. */
  run(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>;
  /** Adds rows, all or none, from a JSON text with a list of values for each. A row that is there already stays. */
  insertRows(rows: InsertTarget, lists: string): Promise<void>;
  /** Ends a transaction that failed. Where that can't be done, the link is not used again. */
  rollback(): Promise<void>;
  release(): void;
}

/** Where rows go, with their columns in the order of their values. */
export interface InsertTarget {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly kind: 'text' | 'integer' }[];
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** Rows that were written, where rows are not given back. */
  readonly changes?: number | undefined;
}

/** How long things may take and how much of them there may be, so that nothing hangs and nothing piles up. */
export interface PoolBounds {
  readonly connectionsMax: number;
  /** For a link, whether one is opened for it or others are waited for. */
  readonly waitMs: number;
  /** Until the database itself gives up a statement; what it waits for locks is part of it. */
  readonly statementMs: number;
  /** Until we give up the database. */
  readonly answerMs: number;
}
