import { Worker } from 'node:worker_threads';
import type { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import { within } from '../../kernel/within.ts';
import type { Answer, Bounds } from './links.ts';

export interface SqliteFile {
  readonly file: string;
  readonly bounds: Bounds;
}

/** What its thread is given; limits are told, since reading all of them takes as long as starting it. */
export interface ThreadStart extends SqliteFile {
  readonly preparedStatementsMax: number;
}

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A statement that is run for each list of values in a JSON text, all or none. */
export interface RepeatedStatement {
  readonly sql: string;
  readonly lists: string;
  readonly table: string;
}

/** What the thread says: once when the file is open, then once for each statement. */
export type Said =
  | Answer
  | { readonly refused: string; readonly because: 'locked' | 'unwritable' | undefined };

/** One connection to a file on a thread of its own, so that a disk that waits holds up nothing else. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #answerMs: number;
  #awaited: PromiseWithResolvers<Answer> | undefined;
  #failure: GatewayError | undefined;

  /** Resolves when the file is open. */
  static async start({ file, bounds }: SqliteFile): Promise<SqliteThread> {
    const thread = new SqliteThread({ file, bounds });
    try {
      await thread.#answer();
    } catch (cause) {
      const why = `${file} can't be opened: ${cause instanceof Error ? cause.message : cause}`;
      thread.abandon(why);
      throw new Error(why, { cause });
    }
    return thread;
  }

  private constructor({ file, bounds }: SqliteFile) {
    this.#answerMs = bounds.answerMs;
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
      workerData: {
        file,
        bounds,
        preparedStatementsMax: limits.preparedStatementsMax,
      } satisfies ThreadStart,
      // Those of a program that the gateway is part of are for its own code.
      execArgv: [],
      // Under node --watch a thread would tell of its imports among its answers.
      env: { ...process.env, WATCH_REPORT_DEPENDENCIES: '' },
    });
    this.#worker.on('message', (said: Said) => this.#hear(said));
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('its thread has ended')));
  }

  /** True where no statement can be run any more. */
  get isLost(): boolean {
    return this.#failure !== undefined;
  }

  /** One at a time. */
  async run(statement: Statement | RepeatedStatement): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#worker.postMessage(statement);
    return this.#answer();
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
    await this.#answer().catch(() => undefined);
  }

  #answer(): Promise<Answer> {
    const awaited = Promise.withResolvers<Answer>();
    this.#awaited = awaited;
    return within(awaited.promise, this.#answerMs, () => {
      const why = `the database did not answer within ${this.#answerMs} ms`;
      return this.abandon(why);
    });
  }

  #hear(said: Said): void {
    const awaited = this.#awaited;
    this.#awaited = undefined;
    if (!('refused' in said)) awaited?.resolve(said);
    else awaited?.reject(failureOf(said.because, new Error(said.refused)));
  }

  #fail(cause: unknown): GatewayError {
    this.#failure ??= unavailable('the database is not available', cause);
    this.#awaited?.reject(this.#failure);
    this.#awaited = undefined;
    return this.#failure;
  }
}

/** A statement that another time would do is no refusal of it. */
function failureOf(because: 'locked' | 'unwritable' | undefined, cause: Error): Error {
  switch (because) {
    case 'locked':
      return unavailable('the database is busy', cause);
    case 'unwritable':
      return unavailable('the database can not be written to', cause);
    case undefined:
      return cause;
  }
}
