import type {
  BudgetHolder,
  BudgetTag,
  BudgetWindows,
  CallBudget,
  SpentBefore,
  SpentByWindow,
} from '../kernel/ports/budget.ts';
import type { BudgetHour, TagDay, UsageDay, UsageStore } from '../kernel/ports/records.ts';
import { isCountedByHour } from '../kernel/ports/stored-budgets.ts';
import { limits } from './limits.ts';
import type { Reservations } from './reservations.ts';
import {
  costsByHour,
  costsOf,
  costsWithoutTag,
  costsWithTag,
  daysOf,
  sumCosts,
  type TimedCost,
} from './spent.ts';

export interface StoredSpendingParts {
  readonly reservations: Pick<Reservations, 'reservedByOthers'>;
  /** Recorded usage, stored or not. */
  days(query: Parameters<UsageStore['days']>[0]): Promise<readonly UsageDay[]>;
  tags(query: Parameters<UsageStore['tags']>[0]): Promise<readonly TagDay[]>;
  budgetHours(query: Parameters<UsageStore['budgetHours']>[0]): Promise<readonly BudgetHour[]>;
}

/** What was spent, from the database: where a count begins, and where there is none. */
export class StoredSpending {
  readonly #parts: StoredSpendingParts;

  constructor(parts: StoredSpendingParts) {
    this.#parts = parts;
  }

  /** Reads the reservations of others first: usage they store meanwhile counts twice, but is never missing. */
  async readWithReservations(budgetHolder: BudgetHolder, windows: BudgetWindows): Promise<SpentBefore> {
    const { accountId, keyId } = budgetHolder;
    const query = { accountId, of: 'spending', keyId, periodStartMs: 0 } as const;
    const reserved = await this.#parts.reservations.reservedByOthers(query);
    const nowMs = Math.max(windows.day.startMs, windows.rolling?.partStartMs ?? 0);
    const costs = await this.#costsOf(budgetHolder, windows);
    // A reservation that is open across midnight is renewed within a minute.
    const open = reserved.map(({ amount, atMs }) => ({
      atMs: Math.min(nowMs, atMs + 2 * limits.reservationRenewalMs),
      amount,
    }));
    return sumCosts([...costs, ...open], windows);
  }

  async read(budgetHolder: BudgetHolder, windows: BudgetWindows): Promise<SpentByWindow> {
    const { parts, ...spent } = sumCosts(await this.#costsOf(budgetHolder, windows), windows);
    if (parts === undefined) return spent;
    const costs = parts.filter(({ amount }) => amount > 0);
    const rolling = costs.reduce((sum, { amount }) => sum + amount, 0);
    const rollingSinceMs = Math.min(...costs.map(({ startMs }) => startMs));
    return { ...spent, rolling, ...(costs.length > 0 && { rollingSinceMs }) };
  }

  /** The usage of an account in its windows. */
  usageRows(accountId: string, windows: BudgetWindows): Promise<readonly UsageDay[]> {
    return this.#parts.days({ accountId, ...daysOf(windows) });
  }

  async #costsOf(
    { accountId, keyId, tag, callBudget }: BudgetHolder,
    windows: BudgetWindows,
  ): Promise<readonly TimedCost[]> {
    if (callBudget !== undefined) return this.#costsOfBudget(callBudget, windows);
    if (tag !== undefined) return this.#costsOfTag(accountId, tag, windows);
    return costsOf(await this.usageRows(accountId, windows), keyId);
  }

  async #costsOfBudget({ budget, value }: CallBudget, windows: BudgetWindows): Promise<readonly TimedCost[]> {
    const { accountId, id: budgetId, scope } = budget;
    if (isCountedByHour(budget)) {
      const fromMs = Math.min(windows.month.startMs, windows.rolling?.startMs ?? windows.month.startMs);
      return costsByHour(await this.#parts.budgetHours({ accountId, budgetId, value, fromMs }));
    }
    switch (scope.kind) {
      case 'tag':
        return this.#costsOfTag(accountId, { name: scope.tag, value: scope.value ?? value }, windows);
      case 'key':
        return costsOf(await this.usageRows(accountId, windows), scope.keyId);
      default:
        return costsOf(await this.usageRows(accountId, windows));
    }
  }

  async #costsOfTag(
    accountId: string,
    tag: BudgetTag,
    windows: BudgetWindows,
  ): Promise<readonly TimedCost[]> {
    const [tagged, further] = await Promise.all(
      [tag.name, ''].map((name) => this.#parts.tags({ accountId, ...daysOf(windows), tag: name })),
    );
    if (tag.value !== '') return costsWithTag([...(tagged ?? []), ...(further ?? [])], tag);
    // Read later: calls that are stored meanwhile count as calls without the tag, and are never missing.
    return costsWithoutTag(await this.usageRows(accountId, windows), tagged ?? []);
  }
}

/** The same, with one query where several holders ask for the same usage. */
export function sharingQueries({
  reservations,
  days,
  tags,
  budgetHours,
}: StoredSpendingParts): StoredSpendingParts {
  return { reservations, budgetHours, days: sharing(days), tags: sharing(tags) };
}

function sharing<Query, Rows>(read: (query: Query) => Promise<Rows>): (query: Query) => Promise<Rows> {
  const running = new Map<string, Promise<Rows>>();
  return (query) => {
    const name = JSON.stringify(query);
    const rows = running.get(name) ?? read(query);
    running.set(name, rows);
    return rows;
  };
}
