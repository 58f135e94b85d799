import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../kernel/limits.ts';
import { JournalSegment, type SegmentSource } from './journal-segment.ts';
import { RecoveredSegment } from './recovered-segment.ts';

interface JournalParts {
  readonly folder: string;
  /** A kill may lose this much. A write costs as much as the rest of a row; with a delay, many calls share it. */
  readonly delayMs: number;
  /** Called once each time segments can't be written: calls continue, but a kill may lose their log entries. */
  readonly onError?: (error: unknown) => void;
}

const segmentFileName = /^requests-.+\.journal$/;

/** Calls not in the log yet, in files that survive a killed process. */
export class Journal {
  readonly #folder: string;
  readonly #delayMs: number;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #processId = randomUUID();
  #segmentsCreated = 0;
  #isBroken = false;
  #suspendedUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ folder, delayMs, onError }: JournalParts) {
    this.#folder = folder;
    this.#delayMs = delayMs;
    this.#onError = onError;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Reported with the first write.
    }
  }

  /** No new segment for a while after a failed write. */
  createSegment(calls: SegmentSource): JournalSegment | undefined {
    if (performance.now() < this.#suspendedUntilMs) return undefined;
    return new JournalSegment({
      calls,
      newPath: () => join(this.#folder, `requests-${this.#processId}-${this.#segmentsCreated++}.journal`),
      delayMs: this.#delayMs,
      onWrite: (error) => this.#onWrite(error),
    });
  }

  /**
   * The existing segments, including those of live processes: their calls are sent twice but stored once, and these
   * processes continue in another file.
   */
  async recoverSegments(): Promise<readonly RecoveredSegment[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const pages = names
      .filter((name) => segmentFileName.test(name))
      .map((name) => RecoveredSegment.open(join(this.#folder, name)));
    return (await Promise.all(pages)).filter((page) => page !== undefined);
  }

  #onWrite(error: unknown): void {
    if (error !== undefined) {
      this.#suspendedUntilMs = performance.now() + limits.journalRestMs;
      if (!this.#isBroken) this.#onError?.(error);
    }
    this.#isBroken = error !== undefined;
  }
}
