import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { queueImmediate } from '../../lib/queue-immediate.ts';
import { limits } from '../limits.ts';
import type { RowKind } from './read-journal.ts';

/** A row of the batch, which its tally changes in place. */
interface TrackedRow {
  readonly number: number;
  readonly kind: RowKind;
  readonly row: object;
  isChanged: boolean;
}

interface BatchFileParts {
  readonly path: string;
  /** Whether files may be written now; throws if that can't be found out. */
  canWrite(): boolean;
  /** Called after each write with the error, or undefined. */
  onWrite(error: unknown): void;
}

/**
 * One batch of usage in a file, until it is stored. The rows that changed in a turn of the event loop are appended as
 * one line at its end. Writes go to the page cache, which outlives the process.
 */
export class BatchFile {
  readonly #parts: BatchFileParts;
  readonly #rows = new Map<object, TrackedRow>();
  #changed: TrackedRow[] = [];
  #fd: number | undefined;
  #size = 0;
  #sizeMax = 0;
  #isRemoved = false;

  constructor(parts: BatchFileParts) {
    this.#parts = parts;
  }

  /** Call this after each change of a row. */
  markChanged(kind: RowKind, row: object): void {
    let tracked = this.#rows.get(row);
    if (tracked === undefined) {
      tracked = { number: this.#rows.size, kind, row, isChanged: false };
      this.#rows.set(row, tracked);
    }
    if (tracked.isChanged) return;
    tracked.isChanged = true;
    if (this.#changed.push(tracked) === 1) queueImmediate(() => this.#writeChanged());
  }

  /** The batch is stored. If its file cannot be removed, the next start stores it again, which changes nothing. */
  remove(): void {
    this.#isRemoved = true;
    const isWritten = this.#fd !== undefined;
    this.#close();
    if (isWritten) rmSync(this.#parts.path, { force: true });
  }

  #writeChanged(): void {
    const changed = this.#changed;
    this.#changed = [];
    for (const tracked of changed) tracked.isChanged = false;
    if (this.#isRemoved) return;
    const { canWrite, onWrite } = this.#parts;
    const startedAtMs = performance.now();
    try {
      if (!canWrite()) {
        this.#close();
        return;
      }
      // Without an open file, earlier rows may be missing.
      if (this.#fd === undefined || this.#size > this.#sizeMax) this.#rewrite();
      else this.#size += writeLine(this.#fd, changed);
      const ms = performance.now() - startedAtMs;
      if (ms > kernelLimits.journalSlowMs) throw new Error(`a journal write took ${Math.round(ms)} ms`);
      onWrite(undefined);
    } catch (error) {
      this.#close();
      onWrite(error);
    }
  }

  /** Replaces the file by one with the current rows. */
  #rewrite(): void {
    const { path } = this.#parts;
    const unfinished = `${path}.new`;
    this.#close();
    const fd = openSync(unfinished, 'w', 0o600);
    this.#fd = fd;
    this.#size = writeLine(fd, [...this.#rows.values()]);
    this.#sizeMax = Math.max(limits.usageJournalBytes, 2 * this.#size);
    renameSync(unfinished, path);
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Returns the bytes written. */
function writeLine(fd: number, rows: readonly TrackedRow[]): number {
  const line = Buffer.from(`${JSON.stringify(rows.map(({ number, kind, row }) => [number, kind, row]))}\n`);
  const size = writeSync(fd, line);
  if (size < line.length) throw new Error('short write to the usage journal');
  return size;
}
