import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { limits } from '../limits.ts';
import { JournalSegment, type SegmentSource } from './journal-segment.ts';
import { RecoveredSegment } from './recovered-segment.ts';

interface JournalParts {
  readonly folder: string;
  /** The beginning of its files' names. */
  readonly name: string;
  /** A kill may lose this much. A write costs as much as the rest of a row; with a delay, many calls share it. */
  readonly delayMs: number;
  /** Called once each time segments can't be written: calls continue, but a kill may lose their log entries. */
  readonly onError?: (error: unknown) => void;
}

/** Calls that are not stored or sent yet, in files that survive a killed process. */
export class Journal {
  readonly #folder: string;
  readonly #name: string;
  readonly #delayMs: number;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #processId = randomUUID();
  #segmentsCreated = 0;
  #isBroken = false;
  #suspendedUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ folder, name, delayMs, onError }: JournalParts) {
    this.#folder = folder;
    this.#name = name;
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
      newPath: () =>
        join(this.#folder, `${this.#name}-${this.#processId}-${this.#segmentsCreated++}.journal`),
      delayMs: this.#delayMs,
      onWrite: (error) => this.#onWrite(error),
    });
  }

  /**
   * Gives `take` the lines of all existing segments, and removes them. Those of live processes are included: their calls
   * are taken twice, and these processes continue in another file. If `take` rejects, the next start tries again.
   */
  async recover(take: (lines: readonly string[]) => Promise<void>): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const opened = await Promise.all(
      names
        .filter((name) => name.startsWith(`${this.#name}-`) && name.endsWith('.journal'))
        .map((name) => RecoveredSegment.open(join(this.#folder, name))),
    );
    const segments = opened.filter((segment) => segment !== undefined);
    if (segments.length === 0) return;
    try {
      for (const segment of segments) {
        await take(await segment.newLines());
        await segment.remove();
      }
      // A live process may have written to the segments until it noticed their removal.
      await sleep(limits.journalLastLinesMs);
      for (const segment of segments) await take(await segment.newLines());
    } finally {
      await Promise.all(segments.map((segment) => segment.close()));
    }
  }

  #onWrite(error: unknown): void {
    if (error !== undefined) {
      this.#suspendedUntilMs = performance.now() + kernelLimits.journalRestMs;
      if (!this.#isBroken) this.#onError?.(error);
    }
    this.#isBroken = error !== undefined;
  }
}
