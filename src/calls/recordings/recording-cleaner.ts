import type { RecordingTable } from '../../kernel/ports/recordings.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';

interface RecordingCleanerParts {
  readonly table: Pick<RecordingTable, 'forgetBefore' | 'newestBeyond'>;
  readonly clock: Clock;
  readonly retentionMs: number;
  /** Limit for all accounts together. */
  readonly totalBytesMax: number;
  /** Called for every failed round; the next one retries. */
  onError(error: unknown): void;
}

/** Deletes recordings that have expired or exceed the size of the instance. Several processes may do it at once. */
export class RecordingCleaner {
  readonly #parts: RecordingCleanerParts;
  #timer: NodeJS.Timeout | undefined;
  #cleaning: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: RecordingCleanerParts) {
    this.#parts = parts;
  }

  /** Runs at intervals. */
  start(): void {
    this.#timer = setInterval(() => {
      this.clean().catch((error) => this.#parts.onError(error));
    }, limits.recordingCleanupMs).unref();
  }

  /** Resolves when no round is running. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopped = true;
    await this.#cleaning?.catch(() => undefined);
  }

  clean(): Promise<void> {
    this.#cleaning ??= this.#clean().finally(() => {
      this.#cleaning = undefined;
    });
    return this.#cleaning;
  }

  async #clean(): Promise<void> {
    const { table, clock, retentionMs, totalBytesMax } = this.#parts;
    await this.#forgetBefore(firstIdAt(clock.now() - retentionMs));
    const newest = await table.newestBeyond(totalBytesMax);
    // The first id after it, since longer ids sort later.
    if (newest !== undefined) await this.#forgetBefore(`${newest}0`);
  }

  async #forgetBefore(id: string): Promise<void> {
    while (!this.#isStopped && (await this.#parts.table.forgetBefore(id)));
  }
}
