import type { KeyBudgetState, SpendingLimiter } from '../billing/spending-limiter.ts';
import type { NanoUsd } from '../kernel/money.ts';
import { type BudgetTag, type Ceilings, type TagCeilings, tagBudgetHolder } from '../kernel/ports/budget.ts';
import type { UsageStore } from '../kernel/ports/records.ts';
import { limits } from './limits.ts';
import type { PipelineSelector } from './pipeline-selector.ts';

/** A key, or all calls of a gateway without keys. */
export interface BudgetOwner {
  /** Empty without a key. */
  readonly keyId: string;
  readonly name: string;
  readonly pipelineConfig: string | null;
}

/** A ceiling of a key, or of a value of a tag, for a day or a month, and what is left of it. */
export interface KeyBudget {
  readonly owner: BudgetOwner | BudgetTag;
  readonly window: 'day' | 'month';
  readonly ceiling: NanoUsd;
  readonly spent: NanoUsd;
  /** Held for calls in flight, which may cost as much. */
  readonly held: NanoUsd;
  readonly endsAtMs: number;
}

interface KeyBudgetsParts {
  readonly pipelines: PipelineSelector;
  readonly spending: Pick<SpendingLimiter, 'statesOf' | 'stateOf'>;
  readonly usage: Pick<UsageStore, 'tags'>;
}

interface LimitedOwner {
  readonly owner: BudgetOwner;
  readonly ceilings: Ceilings;
}

/** What keys may spend, as their pipelines limit it. */
export class KeyBudgets {
  readonly #parts: KeyBudgetsParts;

  constructor(parts: KeyBudgetsParts) {
    this.#parts = parts;
  }

  /** Those nearest to their ceiling first. Of tags, the values that have spent the most. */
  async list(accountId: string, owners: readonly BudgetOwner[]): Promise<readonly KeyBudget[]> {
    const limited: LimitedOwner[] = [];
    const ofTags = new Map<string, Ceilings[]>();
    for (const owner of owners) {
      const { ceilings, tags } = await this.#ceilingsOf(accountId, owner);
      if (ceilings.day !== undefined || ceilings.month !== undefined) limited.push({ owner, ceilings });
      for (const { tag, ceilings: own } of tags) ofTags.set(tag, [...(ofTags.get(tag) ?? []), own]);
    }
    const lists = [await this.#ofKeys(accountId, limited)];
    for (const [tag, ceilings] of ofTags) lists.push(await this.#ofTag(accountId, tag, lowestOf(ceilings)));
    return lists.flat().toSorted((one, other) => shareOf(other) - shareOf(one));
  }

  async #ofKeys(accountId: string, limited: readonly LimitedOwner[]): Promise<readonly KeyBudget[]> {
    const holders = limited.map(({ owner }) => ({ accountId, keyId: owner.keyId }));
    const states = await this.#parts.spending.statesOf(holders);
    return limited.flatMap((one, at) => budgetsIn(one, states[at]));
  }

  /** Each value that calls of this month had, and the calls without the tag, which share one budget. */
  async #ofTag(accountId: string, tag: string, ceilings: Ceilings): Promise<readonly KeyBudget[]> {
    const { spending, usage } = this.#parts;
    const holderOf = (value: string) => tagBudgetHolder({ accountId, keyId: '' }, { name: tag, value });
    const without = await spending.stateOf(holderOf(''));
    const { startMs } = without.windows.month;
    const days = await usage.tags({
      accountId,
      ...{ from: dayOf(startMs), to: dayOf(without.windows.day.startMs), tag },
    });
    const spent = new Map<string, NanoUsd>();
    for (const { value, costNanoUsd } of days) spent.set(value, (spent.get(value) ?? 0) + costNanoUsd);
    const values = [...spent].filter(([value]) => value !== '').toSorted(([, one], [, other]) => other - one);
    const listed = [budgetsIn({ owner: { name: tag, value: '' }, ceilings }, without)];
    for (const [value] of values.slice(0, limits.tagBudgetsMax))
      listed.push(
        budgetsIn({ owner: { name: tag, value }, ceilings }, await spending.stateOf(holderOf(value))),
      );
    return listed.flat();
  }

  /** No ceiling applies to a key whose pipeline is invalid: its calls are rejected. */
  async #ceilingsOf(
    accountId: string,
    { pipelineConfig }: BudgetOwner,
  ): Promise<{ readonly ceilings: Ceilings; readonly tags: readonly TagCeilings[] }> {
    const { pipelines } = this.#parts;
    if (pipelineConfig !== null && (await pipelines.validate(pipelineConfig, accountId)).length > 0)
      return { ceilings: {}, tags: [] };
    const { pipeline } = await pipelines.choose(undefined, { accountId, pipelineConfig, key: undefined });
    const { stages } = pipeline;
    return {
      ceilings: lowestOf(stages.map(({ module, options }) => module.ceilings?.(options) ?? {})),
      tags: stages.flatMap(({ module, options }) => module.tagCeilings?.(options) ?? []),
    };
  }
}

/** Those of a day and a month. */
function budgetsIn(
  { owner, ceilings }: { readonly owner: KeyBudget['owner']; readonly ceilings: Ceilings },
  state: KeyBudgetState | undefined,
): readonly KeyBudget[] {
  return (['day', 'month'] as const).flatMap((window) => {
    const ceiling = ceilings[window];
    if (ceiling === undefined || state === undefined) return [];
    const { spent, held, windows } = state;
    return { owner, window, ceiling, spent: spent[window], held, endsAtMs: windows[window].endMs };
  });
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function lowestOf(all: readonly Ceilings[]): Ceilings {
  return { day: lowest(all.map(({ day }) => day)), month: lowest(all.map(({ month }) => month)) };
}

function lowest(ceilings: readonly (NanoUsd | undefined)[]): NanoUsd | undefined {
  const set = ceilings.filter((ceiling) => ceiling !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

function shareOf({ spent, held, ceiling }: KeyBudget): number {
  return (spent + held) / ceiling;
}
