import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { queueImmediate } from '../../lib/queue-immediate.ts';
import { limits } from '../limits.ts';
import { journalLineOf, type NumberedRow, type RowKind } from './journal-format.ts';

/** A row of the batch, which its tally changes in place. */
interface TrackedRow extends NumberedRow {
  isWritten: boolean;
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
  #wasSlow = false;
  #isCreated = false;
  #isRemoved = false;

  constructor(parts: BatchFileParts) {
    this.#parts = parts;
  }

  /** Call this after each change of a row. */
  markChanged(kind: RowKind, row: object): void {
    let tracked = this.#rows.get(row);
    if (tracked === undefined) {
      tracked = { number: this.#rows.size, kind, row, isWritten: false, isChanged: false };
      this.#rows.set(row, tracked);
    }
    if (tracked.isChanged) return;
    tracked.isChanged = true;
    if (this.#changed.push(tracked) === 1) queueImmediate(() => this.#writeChanged());
  }

  /** The batch is stored. */
  remove(): void {
    this.#isRemoved = true;
    try {
      this.#close();
      if (this.#isCreated)
        for (const path of [this.#parts.path, this.#newPath]) rmSync(path, { force: true });
    } catch (error) {
      // The next start stores it again, which changes nothing.
      this.#parts.onWrite(error);
    }
  }

  /** Where the file is rewritten. */
  get #newPath(): string {
    return `${this.#parts.path}.new`;
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
      const isSlow = ms > kernelLimits.journalSlowMs;
      // One slow write may be due to a busy processor, two are due to the disk.
      if (isSlow && this.#wasSlow) throw new Error(`a journal write took ${Math.round(ms)} ms`);
      this.#wasSlow = isSlow;
      onWrite(undefined);
    } catch (error) {
      this.#close();
      onWrite(error);
    }
  }

  /** Replaces the file by one with the current rows. */
  #rewrite(): void {
    this.#close();
    this.#isCreated = true;
    const rows = [...this.#rows.values()];
    for (const row of rows) row.isWritten = false;
    this.#fd = openSync(this.#newPath, 'w', 0o600);
    this.#size = writeLine(this.#fd, rows);
    this.#sizeMax = Math.max(limits.usageJournalBytes, 2 * this.#size);
    renameSync(this.#newPath, this.#parts.path);
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Returns the bytes written. */
function writeLine(fd: number, rows: readonly TrackedRow[]): number {
  const line = journalLineOf(rows);
  const size = writeSync(fd, line);
  if (size < Buffer.byteLength(line)) throw new Error('short write to the usage journal');
  for (const row of rows) row.isWritten = true;
  return size;
}
