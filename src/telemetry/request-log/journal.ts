import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../kernel/limits.ts';
import { JournalSegment, type SegmentSource } from './journal-segment.ts';
import { RecoveredSegment } from './recovered-segment.ts';

interface JournalParts {
  readonly folder: string;
  /** What a kill may take: each write costs as much as the rest of a row, and with a delay many share it. */
  readonly delayMs: number;
  /** Told once each time that pages can't be written: calls go on, and a kill may take them from the log. */
  readonly onError?: (error: unknown) => void;
}

const segmentFileName = /^requests-.+\.journal$/;

/** Calls that are not in the log yet, in files that outlive a killed process. */
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
      // Told when there is something to write.
    }
  }

  /** None for a while after one could not be written. */
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
   * What is there now. Pages of processes that live are among them: what these have is stored twice and there once, and
   * they go on in another file.
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
