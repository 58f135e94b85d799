import type { ConnectionPool, PooledConnection } from './connection-pool.ts';

/** Measures the statements of a pool and the use of its connections. */
export class MeteredPool implements ConnectionPool {
  readonly #pool: ConnectionPool;
  readonly #onStatement: (ms: number) => void;
  #inUse = 0;
  #waiting = 0;

  constructor(pool: ConnectionPool, onStatement: (ms: number) => void = () => undefined) {
    this.#pool = pool;
    this.#onStatement = onStatement;
  }

  /** Connections in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Queries that wait for a connection. */
  get waiting(): number {
    return this.#waiting;
  }

  async acquire(): Promise<PooledConnection> {
    this.#waiting++;
    let connection: PooledConnection;
    try {
      connection = await this.#pool.acquire();
    } finally {
      this.#waiting--;
    }
    this.#inUse++;
    return {
      run: (sql, parameters) => this.#measure(() => connection.run(sql, parameters)),
      addCalls: (lists) => this.#measure(() => connection.addCalls(lists)),
      rollback: () => connection.rollback(),
      release: () => {
        this.#inUse--;
        connection.release();
      },
    };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #measure<Result>(run: () => Promise<Result>): Promise<Result> {
    const startedAtMs = performance.now();
    try {
      return await run();
    } finally {
      this.#onStatement(performance.now() - startedAtMs);
    }
  }
}
