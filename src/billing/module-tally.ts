import type { ModuleDay, TrialSums } from '../kernel/ports/records.ts';
import { storableChange } from '../kernel/storable.ts';
import type { UsageQuery } from './usage-tally.ts';

/** The effect of a module on one call. */
export interface ModuleSavings {
  readonly accountId: string;
  readonly module: string;
  readonly calls?: number;
  /** Negative if it cost more than it saved. */
  readonly savedNanoUsd?: number;
  /** The cost of the module's own model call. */
  readonly spentNanoUsd?: number;
  readonly trial?: TrialCallCost;
}

/** A call's contribution to a conversation in a trial. */
interface TrialCallCost {
  readonly isHeldOut: boolean;
  readonly costNanoUsd: number;
  /** The cost of the conversation so far; undefined for its first call. */
  readonly beforeNanoUsd: number | undefined;
}

type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] };
type ModuleDaySum = Writable<Omit<ModuleDay, 'with' | 'without'>> & {
  readonly with: Writable<TrialSums>;
  readonly without: Writable<TrialSums>;
};

const overflowModule = 'other';

/** Sums of module effects not stored yet. Beyond `sumsMax`, all modules of an account share one sum. */
export class ModuleTally {
  readonly #sumsMax: number;
  readonly #days = new Map<string, ModuleDaySum>();
  #latest: ModuleDaySum | undefined;

  constructor(sumsMax: number) {
    this.#sumsMax = sumsMax;
  }

  get size(): number {
    return this.#days.size;
  }

  /** Returns the changed sum. */
  add(
    { accountId, module, calls = 0, savedNanoUsd = 0, spentNanoUsd = 0, trial }: ModuleSavings,
    day: string,
  ): ModuleDay {
    const moduleDaySum = this.#sumFor(accountId, module, day);
    moduleDaySum.calls += calls;
    moduleDaySum.savedNanoUsd += storableChange(savedNanoUsd) ?? 0;
    moduleDaySum.spentNanoUsd += storableChange(spentNanoUsd) ?? 0;
    if (trial === undefined) return moduleDaySum;
    const side = trial.isHeldOut ? moduleDaySum.without : moduleDaySum.with;
    const before = trial.beforeNanoUsd ?? 0;
    const cost = storableChange(trial.costNanoUsd) ?? 0;
    if (trial.beforeNanoUsd === undefined) side.conversations++;
    side.costNanoUsd += cost;
    side.squaredUsd += ((before + cost) / 1e9) ** 2 - (before / 1e9) ** 2;
    return moduleDaySum;
  }

  days({ accountId, from, to }: UsageQuery): readonly ModuleDay[] {
    return this.rows().filter(
      (sum) => (accountId === undefined || sum.accountId === accountId) && sum.day >= from && sum.day <= to,
    );
  }

  rows(): readonly ModuleDay[] {
    return [...this.#days.values()];
  }

  #sumFor(accountId: string, module: string, day: string): ModuleDaySum {
    const latest = this.#latest;
    if (latest?.accountId === accountId && latest.module === module && latest.day === day) return latest;
    this.#latest = this.#findOrCreateSum(accountId, module, day);
    return this.#latest;
  }

  #findOrCreateSum(accountId: string, module: string, day: string): ModuleDaySum {
    const name = `${accountId}\n${day}\n${module}`;
    const existing = this.#days.get(name);
    if (existing !== undefined) return existing;
    if (this.#days.size >= this.#sumsMax && module !== overflowModule)
      return this.#findOrCreateSum(accountId, overflowModule, day);
    const none = { conversations: 0, costNanoUsd: 0, squaredUsd: 0 };
    const sum = {
      accountId,
      day,
      module,
      calls: 0,
      savedNanoUsd: 0,
      spentNanoUsd: 0,
      with: { ...none },
      without: { ...none },
    };
    this.#days.set(name, sum);
    return sum;
  }
}
