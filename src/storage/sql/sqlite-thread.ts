import type { Worker } from 'node:worker_threads';
import type { GatewayError } from '../../kernel/errors.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { startThread } from '../../lib/threads.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { limits } from '../limits.ts';
import type { PoolBounds, StatementResult } from './connection-pool.ts';
import { type PackedResult, unpack } from './packed-rows.ts';
import type {
  CallBatchStatement,
  SqliteFileOptions,
  SqliteSessionOptions,
  Statement,
} from './sqlite-session.ts';

/** The file to open comes first; a thread whose file is closed may open another or end. */
export type SqliteWorkerRequest = SqliteSessionOptions | Statement | CallBatchStatement | 'close' | 'end';

/** Sent once when the file is open, then once for each statement. */
export type SqliteWorkerMessage =
  | PackedResult
  | { readonly refused: string; readonly because: 'locked' | 'unwritable' | undefined };

/** Where threads come from, and where they go when their file is closed. */
export interface SqliteThreads {
  take(): Worker;
  giveBack(worker: Worker): void;
}

const newThreads: SqliteThreads = {
  take: startSqliteWorker,
  giveBack: (worker) => worker.postMessage('end' satisfies SqliteWorkerRequest),
};

/** Starts a thread without a file. */
export function startSqliteWorker(): Worker {
  return startThread(new URL('./sqlite-worker.ts', import.meta.url), {
    // Under node --watch a thread would report its imports as messages.
    env: { ...process.env, WATCH_REPORT_DEPENDENCIES: '' },
  });
}

/** One connection to a file on its own thread, so that a slow disk blocks nothing else. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #threads: SqliteThreads;
  #answerMs: number;
  #pendingResult: PromiseWithResolvers<StatementResult> | undefined;
  #failure: GatewayError | undefined;

  /** Resolves when the file is open. */
  static async start(
    { file, bounds: poolBounds }: SqliteFileOptions,
    threads = newThreads,
  ): Promise<SqliteThread> {
    const thread = new SqliteThread({ file, bounds: poolBounds }, threads);
    try {
      await thread.#nextResult();
    } catch (cause) {
      const why = `${file} can't be opened: ${cause instanceof Error ? cause.message : cause}`;
      thread.abandon(why);
      throw new Error(why, { cause });
    }
    return thread;
  }

  private constructor({ file, bounds: poolBounds }: SqliteFileOptions, threads: SqliteThreads) {
    this.#answerMs = poolBounds.answerMs;
    this.#threads = threads;
    this.#worker = threads.take();
    this.#send({ file, bounds: poolBounds, preparedStatementsMax: limits.preparedStatementsMax });
    this.#worker.on('message', (sqliteWorkerMessage: SqliteWorkerMessage) =>
      this.#onMessage(sqliteWorkerMessage),
    );
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the SQLite thread has exited')));
  }

  /** True if it can't run statements any more. */
  get isLost(): boolean {
    return this.#failure !== undefined;
  }

  /** One at a time. */
  async run(statement: Statement | CallBatchStatement): Promise<StatementResult> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#send(statement);
    return this.#nextResult();
  }

  async changeBounds({ answerMs, statementMs }: PoolBounds): Promise<void> {
    this.#answerMs = answerMs;
    await this.run({ sql: `pragma busy_timeout = ${statementMs}`, parameters: [] });
  }

  /** The running statement may or may not take effect. */
  abandon(why: string): GatewayError {
    void this.#worker.terminate();
    return this.#fail(new Error(why));
  }

  /** Closes the file cleanly. */
  async close(): Promise<void> {
    if (this.#failure !== undefined) return;
    this.#send('close');
    await this.#nextResult().catch(() => undefined);
    if (this.#failure !== undefined) return;
    this.#failure = storageUnavailable('the database is closed');
    for (const event of ['message', 'error', 'exit']) this.#worker.removeAllListeners(event);
    this.#threads.giveBack(this.#worker);
  }

  #send(request: SqliteWorkerRequest): void {
    this.#worker.postMessage(request);
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
    if (!('refused' in sqliteWorkerMessage)) awaited?.resolve(unpack(sqliteWorkerMessage));
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

/** Temporary failures become `storage_unavailable`; others are errors of the statement. */
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
