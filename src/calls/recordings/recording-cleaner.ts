import type { RecordingTable } from '../../kernel/ports/recordings.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import type { Clock } from '../../lib/clock.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';
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
  readonly #rounds: PeriodicTask;

  constructor(parts: RecordingCleanerParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      intervalMs: limits.recordingCleanupMs,
      run: () => this.#clean(),
      onError: parts.onError,
    });
  }

  /** Runs at intervals. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when no round is running. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  clean(): Promise<void> {
    return this.#rounds.run();
  }

  async #clean(): Promise<void> {
    const { table, clock, retentionMs, totalBytesMax } = this.#parts;
    await this.#forgetBefore(firstIdAt(clock.now() - retentionMs));
    const newest = await table.newestBeyond(totalBytesMax);
    // The first id after it, since longer ids sort later.
    if (newest !== undefined) await this.#forgetBefore(`${newest}0`);
  }

  async #forgetBefore(id: string): Promise<void> {
    while (!this.#rounds.signal.aborted && (await this.#parts.table.forgetBefore(id)));
  }
}
