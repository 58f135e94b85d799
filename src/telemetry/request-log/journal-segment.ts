import { close, fstatSync, openSync, unlink, writeSync } from 'node:fs';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { limits } from '../limits.ts';

/** Called after each write with the error, or undefined. */
type SegmentWriteCallback = (error: unknown) => void;

interface JournalSegmentParts {
  readonly calls: SegmentSource;
  /** A path for the file, and for another one after a takeover. */
  newPath(): string;
  readonly delayMs: number;
  readonly onWrite: SegmentWriteCallback;
}

/** The calls of a segment. */
export interface SegmentSource {
  /** The next lines to write, if any. */
  next(): string | undefined;
  /** All lines so far, including the last result of `next`. */
  all(): readonly string[];
}

/**
 * One batch of calls in a file, until it is stored. A starting process may take the file over and remove it; later calls
 * go into another file. Writes go to the page cache, which outlives the process and takes microseconds. After a slow or
 * failed write the segment stops writing; its calls are still in memory.
 */
export class JournalSegment {
  readonly #parts: JournalSegmentParts;
  #path = '';
  #checkedAtMs = 0;
  #fd: number | undefined;
  /** Reused for all writes. */
  #timer: NodeJS.Timeout | undefined;
  #state: 'idle' | 'planned' | 'broken' = 'idle';
  #removal: PromiseWithResolvers<void> | undefined;

  constructor(parts: JournalSegmentParts) {
    this.#parts = parts;
  }

  /** Call this when there are new lines. */
  scheduleWrite(): void {
    if (this.#state !== 'idle' || this.#removal !== undefined) return;
    this.#state = 'planned';
    // Batched with calls that end at the same time, or soon.
    const { delayMs } = this.#parts;
    if (delayMs === 0) process.nextTick(() => this.#writePending());
    else if (this.#timer === undefined) this.#timer = setTimeout(() => this.#writePending(), delayMs);
    else this.#timer.refresh();
  }

  /** Its calls are stored or dropped. Resolves when the file is removed. */
  remove(): Promise<void> {
    if (this.#removal === undefined) {
      this.#removal = Promise.withResolvers();
      this.#remove();
    }
    return this.#removal.promise;
  }

  /** Synchronous: a thread would cost ten times as much, and the client already has its answer. */
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
      if (ms > kernelLimits.journalSlowMs) throw new Error(`a journal write took ${Math.round(ms)} ms`);
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

  /** Not checked for each line, which would cost a third of the write: the process that takes over waits for the last lines. */
  #isTakenOver(nowMs: number): boolean {
    if (this.#fd === undefined || nowMs - this.#checkedAtMs < limits.journalTakeoverMs) return false;
    this.#checkedAtMs = nowMs;
    return fstatSync(this.#fd).nlink === 0;
  }

  #detach(): void {
    if (this.#fd !== undefined) close(this.#fd);
    this.#fd = undefined;
  }

  /** A failure to remove the file is harmless: the log stores each call once. */
  #remove(): void {
    const done = () => this.#removal?.resolve();
    const fd = this.#fd;
    if (fd === undefined) done();
    else unlink(this.#path, () => close(fd, done));
  }
}
