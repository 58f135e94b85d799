import type { DataRetentions } from '../kernel/ports/data-retentions.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { limits } from './limits.ts';

interface RetainedDataCleanerParts {
  readonly table: Pick<DataRetentions, 'page' | 'forget'>;
  readonly clock: Clock;
  /** Called for every failed round; the next one retries. */
  onError(error: unknown): void;
}

const dayMs = 86_400_000;

/** Deletes what accounts keep for a shorter time than the instance. Several processes may do it at once. */
export function retainedDataCleaner({ table, clock, onError }: RetainedDataCleanerParts): PeriodicTask {
  return new PeriodicTask({
    intervalMs: limits.retainedDataCleanupMs,
    async run(signal) {
      for (const kind of ['recordings', 'archive', 'patterns'] as const)
        for (let after: string | undefined = ''; after !== undefined; ) {
          const page = await table.page(kind, after, limits.retentionsAtOnce);
          for (const { accountId, days } of page) {
            const beforeMs = clock.now() - days * dayMs;
            while (!signal.aborted && (await table.forget({ accountId, kind }, beforeMs)));
          }
          after = signal.aborted ? undefined : page.at(-1)?.accountId;
        }
    },
    onError,
  });
}
