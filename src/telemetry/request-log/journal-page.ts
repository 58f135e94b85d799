import { close, fstatSync, openSync, unlink, writeSync } from 'node:fs';
import { limits } from '../../kernel/limits.ts';

/** Told after each step on the disk: the error, or undefined. */
type Tell = (error: unknown) => void;

interface PageParts {
  readonly calls: PageCalls;
  /** The path of the file, and of another where that one was taken over. */
  newPath(): string;
  readonly delayMs: number;
  readonly tell: Tell;
}

/** The calls that a page keeps. */
export interface PageCalls {
  /** What there is to write, if there is something. */
  next(): string | undefined;
  /** All that was written, what `next` gave last included. */
  all(): readonly string[];
}

/**
 * One batch of calls in a file, until it is stored. A process that starts may take the file over and remove it: what comes
 * then goes into another.
 * What is written is in the memory of the system, which outlives the
 * process and takes microseconds; a disk that keeps it waiting is let alone. What can't be written is in memory still.
 */
export class JournalPage {
  readonly #parts: PageParts;
  #path = '';
  #lookedAtMs = 0;
  #fd: number | undefined;
  /** One for all of its writes. */
  #timer: NodeJS.Timeout | undefined;
  #state: 'idle' | 'planned' | 'broken' = 'idle';
  #removed: PromiseWithResolvers<void> | undefined;

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  /** There is something to write. */
  plan(): void {
    if (this.#state !== 'idle' || this.#removed !== undefined) return;
    this.#state = 'planned';
    // With the others that end in this moment, or soon.
    const { delayMs } = this.#parts;
    if (delayMs === 0) process.nextTick(() => this.#pass());
    else if (this.#timer === undefined) this.#timer = setTimeout(() => this.#pass(), delayMs);
    else this.#timer.refresh();
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
    const { calls, tell } = this.#parts;
    const next = calls.next();
    if (next === undefined) return;
    const startedAtMs = performance.now();
    try {
      if (this.#isTakenOver(startedAtMs)) {
        this.#leave();
        this.#write(calls.all().join('\n'));
      } else this.#write(next);
      const ms = performance.now() - startedAtMs;
      if (ms > limits.journalSlowMs) throw new Error(`the disk took ${Math.round(ms)} ms for a line`);
      tell(undefined);
    } catch (error) {
      tell(error);
      this.#state = 'broken';
    }
  }

  #write(text: string): void {
    const lines = Buffer.from(`${text}\n`);
    this.#fd ??= this.#open();
    if (writeSync(this.#fd, lines) < lines.length) throw new Error('the disk took half a line');
  }

  #open(): number {
    this.#path = this.#parts.newPath();
    return openSync(this.#path, 'ax', 0o600);
  }

  /** Not looked at for each line, which would cost a third of writing it: whoever takes it over waits for the last ones. */
  #isTakenOver(nowMs: number): boolean {
    if (this.#fd === undefined || nowMs - this.#lookedAtMs < limits.journalTakenMs) return false;
    this.#lookedAtMs = nowMs;
    return fstatSync(this.#fd).nlink === 0;
  }

  #leave(): void {
    if (this.#fd !== undefined) close(this.#fd);
    this.#fd = undefined;
  }

  /** A file that is gone already, or can't be removed, changes nothing: its calls are in the log once. */
  #remove(): void {
    const done = () => this.#removed?.resolve();
    const fd = this.#fd;
    if (fd === undefined) done();
    else unlink(this.#path, () => close(fd, done));
  }
}
