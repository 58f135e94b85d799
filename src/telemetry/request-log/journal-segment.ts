import { close, fstatSync, openSync, unlink, writeSync } from 'node:fs';
import { limits } from '../../kernel/limits.ts';

/** Told after each step on the disk: the error, or undefined. */
type SegmentWriteCallback = (error: unknown) => void;

interface JournalSegmentParts {
  readonly calls: SegmentSource;
  /** The path of the file, and of another where that one was taken over. */
  newPath(): string;
  readonly delayMs: number;
  readonly onWrite: SegmentWriteCallback;
}

/** The calls that a page keeps. */
export interface SegmentSource {
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
export class JournalSegment {
  readonly #parts: JournalSegmentParts;
  #path = '';
  #checkedAtMs = 0;
  #fd: number | undefined;
  /** One for all of its writes. */
  #timer: NodeJS.Timeout | undefined;
  #state: 'idle' | 'planned' | 'broken' = 'idle';
  #removal: PromiseWithResolvers<void> | undefined;

  constructor(parts: JournalSegmentParts) {
    this.#parts = parts;
  }

  /** There is something to write. */
  scheduleWrite(): void {
    if (this.#state !== 'idle' || this.#removal !== undefined) return;
    this.#state = 'planned';
    // With the others that end in this moment, or soon.
    const { delayMs } = this.#parts;
    if (delayMs === 0) process.nextTick(() => this.#writePending());
    else if (this.#timer === undefined) this.#timer = setTimeout(() => this.#writePending(), delayMs);
    else this.#timer.refresh();
  }

  /** Its calls are stored, or given up. Resolves when the file is gone. */
  remove(): Promise<void> {
    if (this.#removal === undefined) {
      this.#removal = Promise.withResolvers();
      this.#remove();
    }
    return this.#removal.promise;
  }

  /** Right here: a thread would cost ten times as much, and the client has its answer by the time it has its turn. */
  #writePending(): void {
    if (this.#removal !== undefined) return;
    this.#state = 'idle';
    const { calls, onWrite } = this.#parts;
    const next = calls.next();
    if (next === undefined) return;
    const startedAtMs = performance.now();
    try {
      if (this.#isTakenOver(startedAtMs)) {
        this.#detach();
        this.#write(calls.all().join('\n'));
      } else this.#write(next);
      const ms = performance.now() - startedAtMs;
      if (ms > limits.journalSlowMs) throw new Error(`a journal write took ${Math.round(ms)} ms`);
      onWrite(undefined);
    } catch (error) {
      onWrite(error);
      this.#state = 'broken';
    }
  }

  #write(text: string): void {
    const lines = Buffer.from(`${text}\n`);
    this.#fd ??= this.#open();
    if (writeSync(this.#fd, lines) < lines.length) throw new Error('short write to the journal');
  }

  #open(): number {
    this.#path = this.#parts.newPath();
    return openSync(this.#path, 'ax', 0o600);
  }

  /** Not looked at for each line, which would cost a third of writing it: whoever takes it over waits for the last ones. */
  #isTakenOver(nowMs: number): boolean {
    if (this.#fd === undefined || nowMs - this.#checkedAtMs < limits.journalTakeoverMs) return false;
    this.#checkedAtMs = nowMs;
    return fstatSync(this.#fd).nlink === 0;
  }

  #detach(): void {
    if (this.#fd !== undefined) close(this.#fd);
    this.#fd = undefined;
  }

  /** A file that is gone already, or can't be removed, changes nothing: its calls are in the log once. */
  #remove(): void {
    const done = () => this.#removal?.resolve();
    const fd = this.#fd;
    if (fd === undefined) done();
    else unlink(this.#path, () => close(fd, done));
  }
}
