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
export class RetainedDataCleaner {
  readonly #parts: RetainedDataCleanerParts;
  readonly #rounds: PeriodicTask;

  constructor(parts: RetainedDataCleanerParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      intervalMs: limits.retainedDataCleanupMs,
      run: () => this.#cleanAll(),
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

  async #cleanAll(): Promise<void> {
    const { table, clock } = this.#parts;
    for (const kind of ['recordings', 'archive', 'patterns'] as const)
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = await table.page(kind, after, limits.retentionsAtOnce);
        for (const { accountId, days } of page) {
          const beforeMs = clock.now() - days * dayMs;
          while (!this.#rounds.signal.aborted && (await table.forget({ accountId, kind }, beforeMs)));
        }
        after = this.#rounds.signal.aborted ? undefined : page.at(-1)?.accountId;
      }
  }
}
