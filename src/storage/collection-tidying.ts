import type { CollectionTable } from '../kernel/ports/collection-table.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

interface TidyingOptions {
  readonly clock: Clock;
  onError(failure: unknown): void;
}

/** Deletes expired entries regularly, until it is stopped. */
export function startTidying(
  table: Pick<CollectionTable, 'tidy'>,
  { clock, onError }: TidyingOptions,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let isStopped = false;
  const tidy = async () => {
    for (let rounds = 0; rounds < limits.collectionTidyRoundsMax && !isStopped; rounds++)
      if (!(await table.tidy(clock.now()))) return;
  };
  const timer = setInterval(() => {
    running ??= tidy()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  }, limits.collectionTidyMs).unref();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
