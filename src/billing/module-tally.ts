import type { ModuleDay, TrialSums } from '../kernel/ports/records.ts';
import { storableChange } from '../kernel/storable.ts';
import type { UsageQuery } from './usage-tally.ts';

/** What is known of a module's work in one call. */
export interface ModuleSavings {
  readonly accountId: string;
  readonly module: string;
  /** Less than 0 where it cost more than it saved. */
  readonly savedNanoUsd?: number;
  /** What a question of its own to a model cost. */
  readonly spentNanoUsd?: number;
  readonly trial?: TrialCallCost;
}

/** What a call adds to a conversation of a trial. */
interface TrialCallCost {
  readonly isHeldOut: boolean;
  readonly costNanoUsd: number;
  /** What the conversation cost before; undefined where this is its first call. */
  readonly beforeNanoUsd: number | undefined;
}

type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] };
type ModuleDaySum = Writable<Omit<ModuleDay, 'with' | 'without'>> & {
  readonly with: Writable<TrialSums>;
  readonly without: Writable<TrialSums>;
};

const overflowModule = 'other';

/** Sums of what modules did that wait to be stored: past `sumsMax` all modules of an account are one. */
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

  add({ accountId, module, savedNanoUsd = 0, spentNanoUsd = 0, trial }: ModuleSavings, day: string): void {
    const moduleDaySum = this.#sumFor(accountId, module, day);
    moduleDaySum.savedNanoUsd += storableChange(savedNanoUsd) ?? 0;
    moduleDaySum.spentNanoUsd += storableChange(spentNanoUsd) ?? 0;
    if (trial === undefined) return;
    const side = trial.isHeldOut ? moduleDaySum.without : moduleDaySum.with;
    const before = trial.beforeNanoUsd ?? 0;
    const cost = storableChange(trial.costNanoUsd) ?? 0;
    if (trial.beforeNanoUsd === undefined) side.conversations++;
    side.costNanoUsd += cost;
    side.squaredUsd += ((before + cost) / 1e9) ** 2 - (before / 1e9) ** 2;
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
    const known = this.#days.get(name);
    if (known !== undefined) return known;
    if (this.#days.size >= this.#sumsMax && module !== overflowModule)
      return this.#findOrCreateSum(accountId, overflowModule, day);
    const none = { conversations: 0, costNanoUsd: 0, squaredUsd: 0 };
    const sum = {
      accountId,
      day,
      module,
      savedNanoUsd: 0,
      spentNanoUsd: 0,
      with: { ...none },
      without: { ...none },
    };
    this.#days.set(name, sum);
    return sum;
  }
}
