import { randomUUID } from 'node:crypto';
import type {
  BudgetHour,
  ModuleDay,
  ProjectUsage,
  Reservation,
  TagDay,
  UsageBatch,
  UsageDay,
  UsageGroups,
  UsageStore,
} from '../kernel/ports/records.ts';
import { WriteBehind } from '../kernel/write-behind.ts';
import type { Clock } from '../lib/clock.ts';
import type { BudgetHoursQuery } from './budget-hour-tally.ts';
import { limits } from './limits.ts';
import type { ModuleSavings } from './module-tally.ts';
import { Reservations } from './reservations.ts';
import { UsageJournal } from './usage-journal/usage-journal.ts';
import { type AttemptUsage, type RecordedCall, type UsageQuery, UsageTally } from './usage-tally.ts';

interface UsageRecorderParts {
  readonly usageStore: UsageStore;
  readonly clock: Clock;
  /** Called for every failed attempt to store; it is retried. */
  readonly onError?: (error: unknown) => void;
  readonly onRecovered?: (ms: number) => void;
  /** Called each time the database stops accepting reservations: calls continue without. */
  readonly onUnreserved?: (error: unknown) => void;
  /** Called with accounts whose credits paid for calls, once that is stored. */
  readonly onCreditsSpent?: (accountIds: readonly string[]) => void;
  /** Where unstored usage survives a killed process; without it, a kill loses it. */
  readonly journal?: UsageJournalOptions | undefined;
  readonly flushMs?: number;
  readonly sumsMax?: number;
}

interface UsageJournalOptions {
  readonly folder: string;
  /** Called once each time the journal can't be written: calls continue, but a kill may lose their usage. */
  onError?(error: unknown): void;
  /** Called for each batch of a killed process that can't be recovered. */
  onRecoveryError?(error: unknown): void;
  /** The pause after a failed write. */
  readonly restMs?: number;
}

const dayMs = 86_400_000;

/** A sum may come in parts. */
interface UsageOfProjects {
  readonly stored: readonly ProjectUsage[];
  /** By key. */
  readonly unstored: readonly UsageDay[];
}

/** Sums up usage in memory and stores the sums every second, in the background. */
export class UsageRecorder {
  /** Reservations of usage that is not recorded yet. */
  readonly reservations: Reservations;
  readonly #usageStore: UsageStore;
  readonly #clock: Clock;
  readonly #journal: UsageJournal | undefined;
  readonly #onCreditsSpent: UsageRecorderParts['onCreditsSpent'];
  readonly #tallies: WriteBehind<UsageTally>;
  #today = { startMs: 0, endMs: 0, name: '' };

  constructor(parts: UsageRecorderParts) {
    const { usageStore, clock, onError, onUnreserved, flushMs, sumsMax = limits.usageSumsMax } = parts;
    this.#usageStore = usageStore;
    this.#clock = clock;
    const reservations = new Reservations({ usageStore, clock, onError: onUnreserved });
    this.reservations = reservations;
    this.#onCreditsSpent = parts.onCreditsSpent;
    const journal =
      parts.journal && new UsageJournal({ ...parts.journal, processId: reservations.processId });
    this.#journal = journal;
    this.#tallies = new WriteBehind({
      createBatch() {
        const id = randomUUID();
        const file = journal?.createFile(id);
        const settledAmounts = reservations.startBatch(file && ((row) => file.markChanged('settled', row)));
        return new UsageTally({ id, sumsMax, settledAmounts, file });
      },
      store: async (tally) => {
        await reservations.storeBatch(tally.settledAmounts, (reserved) =>
          this.#store({ id: tally.id, atMs: clock.now(), ...tally.rows(), reserved }),
        );
        tally.removeFile();
      },
      flushMs: flushMs ?? limits.usageFlushMs,
      retryMsMax: limits.usageRetryMsMax,
      failedMax: limits.usageBatchesMax,
      onError,
      onRecovered: parts.onRecovered,
    });
  }

  /** The number of sums not stored yet. */
  get waiting(): number {
    return this.#tallies.waiting;
  }

  /** How long the oldest of them has waited. */
  get oldestMs(): number {
    return this.#tallies.oldestMs;
  }

  /** Failed attempts to store since the last success. */
  get failedRounds(): number {
    return this.#tallies.failedRounds;
  }

  /** Whether the usage store is unavailable at the moment. */
  get isUnavailable(): boolean {
    return this.#tallies.isStoreUnavailable;
  }

  /** `atMs` determines the day of the call. */
  recordCall(call: RecordedCall, atMs: number): void {
    const tally = this.#tallies.filling;
    tally.addCall(call, this.#dayAt(atMs));
    this.#tallies.setSize(tally.size);
  }

  /** The usage of one attempt, if the call itself has none. */
  recordAttempt(attempt: AttemptUsage, atMs: number): void {
    const tally = this.#tallies.filling;
    tally.addAttempt(attempt, this.#dayAt(atMs), atMs);
    this.#tallies.setSize(tally.size);
  }

  /** The effect of a module on a call. */
  recordModule(work: ModuleSavings, atMs: number): void {
    const tally = this.#tallies.filling;
    tally.addModule(work, this.#dayAt(atMs));
    this.#tallies.setSize(tally.size);
  }

  /** The number of counted calls not stored yet. */
  unflushedCalls(accountId: string, periodStartMs: number): number {
    return this.#tallies.batches.reduce((calls, tally) => calls + tally.callsIn(accountId, periodStartMs), 0);
  }

  /** All counted calls of a period, stored or not, plus those that killed processes may have admitted. */
  async recordedCalls(accountId: string, periodStartMs: number): Promise<number> {
    const lostBeforeMs = this.#clock.now() - 2 * limits.reservationRenewalMs;
    return this.#countCalls(accountId, periodStartMs, ({ atMs }) => atMs < lostBeforeMs);
  }

  /** The same, plus all calls that other processes may admit before they record them. */
  recordedAndReservedCalls(accountId: string, periodStartMs: number): Promise<number> {
    return this.#countCalls(accountId, periodStartMs, () => true);
  }

  async #countCalls(
    accountId: string,
    periodStartMs: number,
    isIn: (reservation: Reservation) => boolean,
  ): Promise<number> {
    const { calls, reserved } = await this.#readConsistently(() =>
      this.#usageStore.quotaUsage(accountId, periodStartMs),
    );
    const elsewhere = sumAmounts(this.reservations.withoutOwn(reserved).filter(isIn));
    return calls + elsewhere + this.unflushedCalls(accountId, periodStartMs);
  }

  /** All usage of these days, stored or not; a sum may come in parts. */
  async days(query: UsageQuery): Promise<readonly UsageDay[]> {
    const stored = await this.#readConsistently(() => this.#usageStore.days(query));
    return [...stored, ...this.#tallies.batches.flatMap((tally) => tally.days(query))];
  }

  /** The same, summed up where it is stored: the labels of the other grouping mean nothing. */
  async groups(query: UsageQuery): Promise<UsageGroups> {
    const { models, keys } = await this.#readConsistently(() => this.#usageStore.groups(query));
    const unstored = this.#tallies.batches.flatMap((tally) => tally.days(query));
    return { models: [...models, ...unstored], keys: [...keys, ...unstored] };
  }

  /** The same by project, and by key what is not stored. */
  async projects(query: UsageQuery): Promise<UsageOfProjects> {
    const stored = await this.#readConsistently(() => this.#usageStore.projects(query));
    return { stored, unstored: this.#tallies.batches.flatMap((tally) => tally.days(query)) };
  }

  /** The effects of modules on these days, stored or not; a sum may come in parts. */
  async modules(query: UsageQuery): Promise<readonly ModuleDay[]> {
    const stored = await this.#readConsistently(() => this.#usageStore.modules(query));
    return [...stored, ...this.#tallies.batches.flatMap((tally) => tally.modules(query))];
  }

  /** The usage of these days by tag, stored or not; a sum may come in parts. */
  async tags(query: Parameters<UsageStore['tags']>[0]): Promise<readonly TagDay[]> {
    const stored = await this.#readConsistently(() => this.#usageStore.tags(query));
    const unstored = this.#tallies.batches.flatMap((tally) => tally.tags(query));
    return [...stored, ...unstored.filter(({ tag }) => query.tag === undefined || tag === query.tag)];
  }

  /** What a budget that is counted by the hour has spent, stored or not; a sum may come in parts. */
  async budgetHours(query: BudgetHoursQuery): Promise<readonly BudgetHour[]> {
    const stored = await this.#readConsistently(() => this.#usageStore.budgetHours(query));
    return [...stored, ...this.#tallies.batches.flatMap((tally) => tally.budgetHours(query))];
  }

  /**
   * Stores the usage of killed processes, without that of erased accounts. If the usage store is unavailable, the next
   * start tries again.
   */
  async recover(isErased: (accountId: string) => Promise<boolean>): Promise<void> {
    await this.#journal?.recover(async (batch) => this.#store(await withoutErased(batch, isErased)));
  }

  /** Stores all sums, with retries until the time is up. False if some could not be stored. */
  flush(withinMs: number): Promise<boolean> {
    return this.#tallies.drain(withinMs);
  }

  /** Releases unused reservations. Call `flush` first: usage that is not stored stays in the journal. */
  async close(): Promise<void> {
    try {
      await this.reservations.close();
    } finally {
      this.#journal?.close();
    }
  }

  async #store(batch: UsageBatch): Promise<void> {
    const paid = (await this.#usageStore.add(batch)) ?? [];
    if (paid.length > 0) this.#onCreditsSpent?.(paid);
  }

  #readConsistently<Stored>(read: () => Promise<Stored>): Promise<Stored> {
    return this.#tallies.readBetweenRounds(limits.usageReadsMax, read);
  }

  #dayAt(atMs: number): string {
    if (atMs < this.#today.startMs || atMs >= this.#today.endMs) {
      const startMs = Math.floor(atMs / dayMs) * dayMs;
      const name = new Date(startMs).toISOString().slice(0, 10);
      this.#today = { startMs, endMs: startMs + dayMs, name };
    }
    return this.#today.name;
  }
}

function sumAmounts(reservations: readonly Reservation[]): number {
  return reservations.reduce((sum, { amount }) => sum + amount, 0);
}

async function withoutErased(
  batch: UsageBatch,
  isErased: (accountId: string) => Promise<boolean>,
): Promise<UsageBatch> {
  const { days, counted, modules = [], tags = [], budgetHours = [], settled = [] } = batch;
  const erased = new Set<string>();
  const rows = [...days, ...counted, ...modules, ...tags, ...budgetHours, ...settled];
  for (const accountId of new Set(rows.map((row) => row.accountId)))
    if (await isErased(accountId)) erased.add(accountId);
  const isLeft = ({ accountId }: { readonly accountId: string }) => !erased.has(accountId);
  return {
    ...batch,
    days: days.filter(isLeft),
    counted: counted.filter(isLeft),
    modules: modules.filter(isLeft),
    tags: tags.filter(isLeft),
    budgetHours: budgetHours.filter(isLeft),
    settled: settled.filter(isLeft),
  };
}
