import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { afterAttended } from '../../lib/attended-timer.ts';
import { limits } from '../limits.ts';
import type { AdjustablePool, PoolBounds, PooledConnection, StatementResult } from './connection-pool.ts';
import type { CallBatchStatement, SqliteFileOptions, Statement } from './sqlite-session.ts';
import { SqliteThread } from './sqlite-thread.ts';

/** Where the statements of a pool run, one at a time. */
export interface SqliteRunner {
  /** True if it can't run statements any more. */
  readonly isLost: boolean;
  run(statement: Statement | CallBatchStatement): Promise<StatementResult>;
  changeBounds(poolBounds: PoolBounds): Promise<void>;
  close(): Promise<void>;
  /** The running statement may or may not take effect. */
  abandon(why: string): void;
}

interface QueuedAcquire {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly endWait: () => void;
}

/** One connection to an SQLite file, used in turn. A lost runner is replaced for the next in the queue. */
export class SqlitePool implements AdjustablePool {
  #file: SqliteFileOptions;
  readonly #start: (file: SqliteFileOptions) => Promise<SqliteRunner>;
  readonly #queue = new Set<QueuedAcquire>();
  #isAcquired = false;
  #isClosed = false;
  #runner: SqliteRunner | undefined;

  /** `start` opens the file with the first use. */
  constructor(
    file: SqliteFileOptions,
    start: (file: SqliteFileOptions) => Promise<SqliteRunner> = SqliteThread.start,
  ) {
    this.#file = file;
    this.#start = start;
  }

  async acquire(): Promise<PooledConnection> {
    await this.#waitTurn();
    try {
      const runner = await this.#liveRunner();
      return new SqliteConnection(runner, () => this.#serveNext());
    } catch (error) {
      this.#serveNext();
      throw error;
    }
  }

  /** Keeps the thread: starting another would take 35 ms of CPU time. */
  async changeBounds(poolBounds: PoolBounds): Promise<void> {
    this.#file = { ...this.#file, bounds: poolBounds };
    await this.#runner?.changeBounds(poolBounds);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject, endWait } of this.#queue) {
      endWait();
      reject(storageUnavailable('the database is closed'));
    }
    this.#queue.clear();
    const free =
      !this.#isAcquired ||
      (await this.#enqueue()
        .then(() => true)
        .catch(() => false));
    if (free) await this.#runner?.close();
    else this.#runner?.abandon('the database is closed');
  }

  async #waitTurn(): Promise<void> {
    if (this.#isClosed) throw storageUnavailable('the database is closed');
    if (this.#isAcquired) await this.#enqueue();
    else this.#isAcquired = true;
  }

  #enqueue(): Promise<void> {
    if (this.#queue.size >= limits.databaseWaitingMax)
      throw storageUnavailable('too many queries are waiting for the database');
    const { waitMs } = this.#file.bounds;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const endWait = afterAttended(waitMs, () => {
      this.#queue.delete(waiting);
      reject(storageUnavailable('the database is busy'));
    });
    const waiting = { resolve, reject, endWait };
    this.#queue.add(waiting);
    return promise;
  }

  #serveNext(): void {
    const [queuedAcquire] = this.#queue;
    if (queuedAcquire === undefined) {
      this.#isAcquired = false;
      return;
    }
    this.#queue.delete(queuedAcquire);
    queuedAcquire.endWait();
    queuedAcquire.resolve();
  }

  async #liveRunner(): Promise<SqliteRunner> {
    if (this.#runner === undefined || this.#runner.isLost) this.#runner = await this.#startRunner();
    return this.#runner;
  }

  /** A file that can't be opened is reported as unavailable storage, not as an error of the statement. */
  async #startRunner(): Promise<SqliteRunner> {
    try {
      return await this.#start(this.#file);
    } catch (cause) {
      throw storageUnavailable('the database is not available', cause);
    }
  }
}

class SqliteConnection implements PooledConnection {
  readonly #runner: SqliteRunner;
  readonly #onRelease: () => void;

  constructor(runner: SqliteRunner, done: () => void) {
    this.#runner = runner;
    this.#onRelease = done;
  }

  run(sql: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    return this.#runner.run({ sql, parameters });
  }

  async addCalls(lists: string): Promise<void> {
    await this.#runner.run({ lists });
  }

  async rollback(): Promise<void> {
    if (this.#runner.isLost) return;
    try {
      await this.#runner.run({ sql: 'rollback', parameters: [] });
    } catch {
      // The state of the connection is unknown; a new one starts without a transaction.
      this.#runner.abandon('a transaction could not be rolled back');
    }
  }

  release(): void {
    this.#onRelease();
  }
}
