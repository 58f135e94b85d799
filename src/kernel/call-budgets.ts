import { type CallBudget, callBudgetName } from './ports/budget.ts';
import { isForEach, type StoredBudget } from './ports/stored-budgets.ts';
import { type Tags, tagOf } from './tags.ts';

/** A call whose budgets are looked for. */
interface LimitedCall {
  readonly tags: Tags;
  /** The pseudonym of its end user; null if it names none. Only asked if a budget needs it. */
  endUser(): string | null;
}

/** The stored budgets that may limit calls with a key. */
export class KeyBudgetSet {
  readonly hasHard: boolean;
  readonly #budgets: readonly StoredBudget[];
  readonly #needsEndUser: boolean;

  constructor(budgets: readonly StoredBudget[]) {
    this.#budgets = budgets;
    this.hasHard = budgets.some(({ mode }) => mode === 'hard');
    this.#needsEndUser = budgets.some(({ scope }) => scope.kind === 'end_user');
  }

  /** Undefined without budgets, so that calls without them cost nothing. */
  static of(budgets: readonly StoredBudget[]): KeyBudgetSet | undefined {
    return budgets.length === 0 ? undefined : new KeyBudgetSet(budgets);
  }

  /** Those that limit the call, in the same order in all calls. */
  limiting(call: LimitedCall): readonly CallBudget[] {
    const endUser = this.#needsEndUser ? call.endUser() : null;
    return this.#budgets
      .flatMap((budget) => {
        const value = valueIn(budget, call.tags, endUser);
        return value === undefined ? [] : [{ budget, value }];
      })
      .sort((one, other) => (callBudgetName(one) < callBudgetName(other) ? -1 : 1));
  }
}

/** What tells the part of the budget that limits the call; undefined if it doesn't limit the call. */
function valueIn({ scope }: StoredBudget, tags: Tags, endUser: string | null): string | undefined {
  if (scope.kind !== 'end_user' && scope.kind !== 'tag') return '';
  const own = scope.kind === 'tag' ? tagOf(tags, scope.tag) : (endUser ?? undefined);
  if (isForEach(scope)) return own;
  return own === (scope.kind === 'tag' ? scope.value : scope.endUser) ? '' : undefined;
}
