import { Worker } from 'node:worker_threads';
import type { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { withTimeout } from '../../kernel/with-timeout.ts';
import type { PoolBounds, StatementResult } from './connection-pool.ts';

export interface SqliteFileOptions {
  readonly file: string;
  readonly bounds: PoolBounds;
}

/** What its thread is given; limits are told, since reading all of them takes as long as starting it. */
export interface SqliteWorkerData extends SqliteFileOptions {
  readonly preparedStatementsMax: number;
}

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A statement that is run for each list of values in a JSON text, all or none. */
export interface BatchStatement {
  readonly sql: string;
  readonly lists: string;
  readonly table: string;
}

/** What the thread says: once when the file is open, then once for each statement. */
export type SqliteWorkerMessage =
  | StatementResult
  | { readonly refused: string; readonly because: 'locked' | 'unwritable' | undefined };

/** One connection to a file on a thread of its own, so that a disk that waits holds up nothing else. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #answerMs: number;
  #pendingResult: PromiseWithResolvers<StatementResult> | undefined;
  #failure: GatewayError | undefined;

  /** Resolves when the file is open. */
  static async start({ file, bounds: poolBounds }: SqliteFileOptions): Promise<SqliteThread> {
    const thread = new SqliteThread({ file, bounds: poolBounds });
    try {
      await thread.#nextResult();
    } catch (cause) {
      const why = `${file} can't be opened: ${cause instanceof Error ? cause.message : cause}`;
      thread.abandon(why);
      throw new Error(why, { cause });
    }
    return thread;
  }

  private constructor({ file, bounds: poolBounds }: SqliteFileOptions) {
    this.#answerMs = poolBounds.answerMs;
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
      workerData: {
        file,
        bounds: poolBounds,
        preparedStatementsMax: limits.preparedStatementsMax,
      } satisfies SqliteWorkerData,
      // Those of a program that the gateway is part of are for its own code.
      execArgv: [],
      // Under node --watch a thread would tell of its imports among its answers.
      env: { ...process.env, WATCH_REPORT_DEPENDENCIES: '' },
    });
    this.#worker.on('message', (sqliteWorkerMessage: SqliteWorkerMessage) =>
      this.#onMessage(sqliteWorkerMessage),
    );
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the SQLite thread has exited')));
  }

  /** True where no statement can be run any more. */
  get isLost(): boolean {
    return this.#failure !== undefined;
  }

  /** One at a time. */
  async run(statement: Statement | BatchStatement): Promise<StatementResult> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#worker.postMessage(statement);
    return this.#nextResult();
  }

  /** What is running may still be written, or may not. */
  abandon(why: string): GatewayError {
    void this.#worker.terminate();
    return this.#fail(new Error(why));
  }

  /** Closes the file in good order. */
  async close(): Promise<void> {
    if (this.#failure !== undefined) return;
    this.#worker.postMessage('close');
    await this.#nextResult().catch(() => undefined);
  }

  #nextResult(): Promise<StatementResult> {
    const awaited = Promise.withResolvers<StatementResult>();
    this.#pendingResult = awaited;
    return withTimeout(awaited.promise, this.#answerMs, () => {
      const why = `the database did not answer within ${this.#answerMs} ms`;
      return this.abandon(why);
    });
  }

  #onMessage(sqliteWorkerMessage: SqliteWorkerMessage): void {
    const awaited = this.#pendingResult;
    this.#pendingResult = undefined;
    if (!('refused' in sqliteWorkerMessage)) awaited?.resolve(sqliteWorkerMessage);
    else
      awaited?.reject(toStatementError(sqliteWorkerMessage.because, new Error(sqliteWorkerMessage.refused)));
  }

  #fail(cause: unknown): GatewayError {
    this.#failure ??= storageUnavailable('the database is not available', cause);
    this.#pendingResult?.reject(this.#failure);
    this.#pendingResult = undefined;
    return this.#failure;
  }
}

/** A statement that another time would do is no refusal of it. */
function toStatementError(because: 'locked' | 'unwritable' | undefined, cause: Error): Error {
  switch (because) {
    case 'locked':
      return storageUnavailable('the database is busy', cause);
    case 'unwritable':
      return storageUnavailable('the database is not writable', cause);
    case undefined:
      return cause;
  }
}
