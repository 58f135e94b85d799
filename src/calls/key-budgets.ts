import type { SpendingLimiter } from '../billing/spending-limiter.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Ceilings, WindowName } from '../kernel/ports/budget.ts';
import type { PipelineSelector } from './pipeline-selector.ts';

/** A key, or all calls of a gateway without keys. */
export interface BudgetOwner {
  /** Empty without a key. */
  readonly keyId: string;
  readonly name: string;
  readonly pipelineConfig: string | null;
}

/** A ceiling of a key for a day or a month, and what is left of it. */
export interface KeyBudget {
  readonly owner: BudgetOwner;
  readonly window: WindowName;
  readonly ceiling: NanoUsd;
  readonly spent: NanoUsd;
  /** Held for calls in flight, which may cost as much. */
  readonly held: NanoUsd;
  readonly endsAtMs: number;
}

interface KeyBudgetsParts {
  readonly pipelines: PipelineSelector;
  readonly spending: Pick<SpendingLimiter, 'statesOf'>;
}

/** What keys may spend, as their pipelines limit it. */
export class KeyBudgets {
  readonly #parts: KeyBudgetsParts;

  constructor(parts: KeyBudgetsParts) {
    this.#parts = parts;
  }

  /** Those nearest to their ceiling first. */
  async list(accountId: string, owners: readonly BudgetOwner[]): Promise<readonly KeyBudget[]> {
    const limited: { readonly owner: BudgetOwner; readonly ceilings: Ceilings }[] = [];
    for (const owner of owners) {
      const ceilings = await this.#ceilingsOf(accountId, owner);
      if (ceilings.day !== undefined || ceilings.month !== undefined) limited.push({ owner, ceilings });
    }
    const keyIds = limited.map(({ owner }) => owner.keyId);
    const states = await this.#parts.spending.statesOf(accountId, keyIds);
    return limited
      .flatMap(({ owner, ceilings }, at) => {
        const state = states[at];
        return (['day', 'month'] as const).flatMap((window) => {
          const ceiling = ceilings[window];
          if (ceiling === undefined || state === undefined) return [];
          const { spent, held, windows } = state;
          return { owner, window, ceiling, spent: spent[window], held, endsAtMs: windows[window].endMs };
        });
      })
      .toSorted((one, other) => shareOf(other) - shareOf(one));
  }

  /** No ceiling applies to a key whose pipeline is invalid: its calls are rejected. */
  async #ceilingsOf(accountId: string, { pipelineConfig }: BudgetOwner): Promise<Ceilings> {
    const { pipelines } = this.#parts;
    if (pipelineConfig !== null && (await pipelines.validate(pipelineConfig, accountId)).length > 0)
      return {};
    const { pipeline } = await pipelines.choose(undefined, { accountId, pipelineConfig, key: undefined });
    const all = pipeline.stages.map(({ module, options }) => module.ceilings?.(options) ?? {});
    return { day: lowest(all.map(({ day }) => day)), month: lowest(all.map(({ month }) => month)) };
  }
}

function lowest(ceilings: readonly (NanoUsd | undefined)[]): NanoUsd | undefined {
  const set = ceilings.filter((ceiling) => ceiling !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

function shareOf({ spent, held, ceiling }: KeyBudget): number {
  return (spent + held) / ceiling;
}
