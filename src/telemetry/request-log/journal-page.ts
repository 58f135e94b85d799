import { close, openSync, unlink, writeSync } from 'node:fs';
import { limits } from '../../kernel/limits.ts';

/** Told after each step on the disk: the error, or undefined. */
type Tell = (error: unknown) => void;

interface PageParts {
  /** What there is to write, if there is something. */
  next(): string | undefined;
  readonly delayMs: number;
  readonly tell: Tell;
}

/**
 * One batch of calls in a file, until it is stored. What is written is in the memory of the system, which outlives the
 * process and takes microseconds; a disk that keeps it waiting is let alone. What can't be written is in memory still.
 */
export class JournalPage {
  readonly #path: string;
  readonly #next: () => string | undefined;
  readonly #delayMs: number;
  readonly #tell: Tell;
  #fd: number | undefined;
  #state: 'idle' | 'planned' | 'broken' = 'idle';
  #removed: PromiseWithResolvers<void> | undefined;

  constructor(path: string, { next, delayMs, tell }: PageParts) {
    this.#path = path;
    this.#next = next;
    this.#delayMs = delayMs;
    this.#tell = tell;
  }

  /** There is something to write. */
  plan(): void {
    if (this.#state !== 'idle' || this.#removed !== undefined) return;
    this.#state = 'planned';
    // With the others that end in this moment, or soon.
    if (this.#delayMs === 0) process.nextTick(() => this.#pass());
    else setTimeout(() => this.#pass(), this.#delayMs);
  }

  /** Its calls are stored, or given up. Resolves when the file is gone. */
  remove(): Promise<void> {
    if (this.#removed === undefined) {
      this.#removed = Promise.withResolvers();
      this.#remove();
    }
    return this.#removed.promise;
  }

  /** Right here: a thread would cost ten times as much, and the client has its answer by the time it has its turn. */
  #pass(): void {
    if (this.#removed !== undefined) return;
    this.#state = 'idle';
    const next = this.#next();
    if (next === undefined) return;
    const line = Buffer.from(`${next}\n`);
    const startedAtMs = performance.now();
    try {
      this.#fd ??= openSync(this.#path, 'ax', 0o600);
      const bytes = writeSync(this.#fd, line);
      if (bytes < line.length) throw new Error('the disk took half a line');
      const ms = performance.now() - startedAtMs;
      if (ms > limits.journalSlowMs) throw new Error(`the disk took ${Math.round(ms)} ms for a line`);
      this.#tell(undefined);
    } catch (error) {
      this.#broken(error);
    }
  }

  #broken(error: unknown): void {
    this.#tell(error);
    this.#state = 'broken';
  }

  /** A file that is gone already, or can't be removed, changes nothing: its calls are in the log once. */
  #remove(): void {
    const done = () => this.#removed?.resolve();
    const removed = () => (this.#fd === undefined ? done() : close(this.#fd, done));
    unlink(this.#path, removed);
  }
}
