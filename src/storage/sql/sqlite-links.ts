import { limits } from '../../kernel/limits.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import type { Answer, Columns, Link, Links } from './links.ts';
import { type SqliteFile, SqliteThread } from './sqlite-thread.ts';

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** One link to a file of SQLite, taken in turn. A thread that is lost is replaced for the next in the queue. */
export class SqliteLinks implements Links {
  readonly #file: SqliteFile;
  readonly #queue = new Set<Waiting>();
  #taken = false;
  #closed = false;
  #thread: SqliteThread | undefined;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async take(): Promise<Link> {
    await this.#turn();
    try {
      const thread = await this.#running();
      return new SqliteLink(thread, () => this.#next());
    } catch (error) {
      this.#next();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { reject, timer } of this.#queue) {
      clearTimeout(timer);
      reject(unavailable('the database is closed'));
    }
    this.#queue.clear();
    const free =
      !this.#taken ||
      (await this.#wait()
        .then(() => true)
        .catch(() => false));
    if (free) await this.#thread?.close();
    else this.#thread?.abandon('the database is closed');
  }

  async #turn(): Promise<void> {
    if (this.#closed) throw unavailable('the database is closed');
    if (this.#taken) await this.#wait();
    else this.#taken = true;
  }

  #wait(): Promise<void> {
    if (this.#queue.size >= limits.databaseWaitingMax) throw unavailable('the database is not keeping up');
    const { waitMs } = this.#file.bounds;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#queue.delete(waiting);
      reject(unavailable('the database is busy'));
    }, waitMs);
    const waiting = { resolve, reject, timer };
    this.#queue.add(waiting);
    return promise;
  }

  #next(): void {
    const [waiting] = this.#queue;
    if (waiting === undefined) {
      this.#taken = false;
      return;
    }
    this.#queue.delete(waiting);
    clearTimeout(waiting.timer);
    waiting.resolve();
  }

  async #running(): Promise<SqliteThread> {
    if (this.#thread === undefined || this.#thread.isLost) this.#thread = await this.#started();
    return this.#thread;
  }

  /** What keeps a file from being opened is no fault of what is to be done with it. */
  async #started(): Promise<SqliteThread> {
    try {
      return await SqliteThread.start(this.#file);
    } catch (cause) {
      throw unavailable('the database is not available', cause);
    }
  }
}

class SqliteLink implements Link {
  readonly #thread: SqliteThread;
  readonly #done: () => void;

  constructor(thread: SqliteThread, done: () => void) {
    this.#thread = thread;
    this.#done = done;
  }

  run(sql: string, parameters: readonly unknown[] = []): Promise<Answer> {
    return this.#thread.run({ sql, parameters });
  }

  /** Taking values out of JSON in SQL would cost twice as much as handing them over one by one. */
  async add({ table, columns }: Columns, lists: string): Promise<void> {
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
      // Whatever state the connection is in, the next one starts without a transaction.
      this.#thread.abandon('a transaction could not be ended');
    }
  }

  giveBack(): void {
    this.#done();
  }
}
