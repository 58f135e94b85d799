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
export function recordingCleaner({
  table,
  clock,
  retentionMs,
  totalBytesMax,
  onError,
}: RecordingCleanerParts): PeriodicTask {
  return new PeriodicTask({
    intervalMs: limits.recordingCleanupMs,
    async run(signal) {
      const forgetBefore = async (id: string) => {
        while (!signal.aborted && (await table.forgetBefore(id)));
      };
      await forgetBefore(firstIdAt(clock.now() - retentionMs));
      const newest = await table.newestBeyond(totalBytesMax);
      // The first id after it, since longer ids sort later.
      if (newest !== undefined) await forgetBefore(`${newest}0`);
    },
    onError,
  });
}
