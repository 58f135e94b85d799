import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { limits } from '../limits.ts';
import type { ConnectionPool, InsertTarget, PooledConnection, StatementResult } from './connection-pool.ts';
import { type SqliteFileOptions, SqliteThread } from './sqlite-thread.ts';

interface QueuedAcquire {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** One connection to an SQLite file, used in turn. A lost thread is replaced for the next in the queue. */
export class SqlitePool implements ConnectionPool {
  readonly #file: SqliteFileOptions;
  readonly #queue = new Set<QueuedAcquire>();
  #isAcquired = false;
  #isClosed = false;
  #thread: SqliteThread | undefined;

  constructor(file: SqliteFileOptions) {
    this.#file = file;
  }

  async acquire(): Promise<PooledConnection> {
    await this.#waitTurn();
    try {
      const thread = await this.#liveThread();
      return new SqliteConnection(thread, () => this.#serveNext());
    } catch (error) {
      this.#serveNext();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject, timer } of this.#queue) {
      clearTimeout(timer);
      reject(storageUnavailable('the database is closed'));
    }
    this.#queue.clear();
    const free =
      !this.#isAcquired ||
      (await this.#enqueue()
        .then(() => true)
        .catch(() => false));
    if (free) await this.#thread?.close();
    else this.#thread?.abandon('the database is closed');
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
    const timer = setTimeout(() => {
      this.#queue.delete(waiting);
      reject(storageUnavailable('the database is busy'));
    }, waitMs);
    const waiting = { resolve, reject, timer };
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
    clearTimeout(queuedAcquire.timer);
    queuedAcquire.resolve();
  }

  async #liveThread(): Promise<SqliteThread> {
    if (this.#thread === undefined || this.#thread.isLost) this.#thread = await this.#startThread();
    return this.#thread;
  }

  /** A file that can't be opened is reported as unavailable storage, not as an error of the statement. */
  async #startThread(): Promise<SqliteThread> {
    try {
      return await SqliteThread.start(this.#file);
    } catch (cause) {
      throw storageUnavailable('the database is not available', cause);
    }
  }
}

class SqliteConnection implements PooledConnection {
  readonly #thread: SqliteThread;
  readonly #onRelease: () => void;

  constructor(thread: SqliteThread, done: () => void) {
    this.#thread = thread;
    this.#onRelease = done;
  }

  run(sql: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    return this.#thread.run({ sql, parameters });
  }

  /** Binds values one by one: extracting them from JSON in SQL would cost twice as much. */
  async insertRows({ table, columns }: InsertTarget, lists: string): Promise<void> {
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const places = columns.map(() => '?').join(', ');
    const sql = `insert into "${table}" (${names}) values (${places}) on conflict do nothing`;
    await this.#thread.run({ sql, lists, table });
  }

  async rollback(): Promise<void> {
    if (this.#thread.isLost) return;
    try {
      await this.#thread.run({ sql: 'rollback', parameters: [] });
    } catch {
      // The state of the connection is unknown; a new one starts without a transaction.
      this.#thread.abandon('a transaction could not be rolled back');
    }
  }

  release(): void {
    this.#onRelease();
  }
}
