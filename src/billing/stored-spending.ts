import type { BudgetHolder, BudgetWindows, SpentByWindow } from '../kernel/ports/budget.ts';
import type { TagDay, UsageDay, UsageStore } from '../kernel/ports/records.ts';
import { limits } from './limits.ts';
import type { Reservations } from './reservations.ts';
import { daysOf, spentIn, spentWithoutTag, spentWithTag } from './spent.ts';

export interface StoredSpendingParts {
  readonly reservations: Pick<Reservations, 'reservedByOthers'>;
  /** Recorded usage, stored or not. */
  days(query: Parameters<UsageStore['days']>[0]): Promise<readonly UsageDay[]>;
  tags(query: Parameters<UsageStore['tags']>[0]): Promise<readonly TagDay[]>;
}

/** What was spent, from the database: where a count begins, and where there is none. */
export class StoredSpending {
  readonly #parts: StoredSpendingParts;

  constructor(parts: StoredSpendingParts) {
    this.#parts = parts;
  }

  /** Reads the reservations of others first: usage they store meanwhile counts twice, but is never missing. */
  async readWithReservations(budgetHolder: BudgetHolder, windows: BudgetWindows): Promise<SpentByWindow> {
    const { accountId, keyId } = budgetHolder;
    const { day, month } = windows;
    const query = { accountId, of: 'spending', keyId, periodStartMs: 0 } as const;
    const reserved = await this.#parts.reservations.reservedByOthers(query);
    const spent = await this.read(budgetHolder, windows);
    for (const { amount, atMs } of reserved) {
      // A reservation that is open across midnight is renewed within a minute.
      const untilMs = atMs + 2 * limits.reservationRenewalMs;
      if (untilMs >= month.startMs) spent.month += amount;
      if (untilMs >= day.startMs) spent.day += amount;
    }
    return spent;
  }

  async read({ accountId, keyId, tag }: BudgetHolder, windows: BudgetWindows) {
    if (tag === undefined) return spentIn(await this.usageRows(accountId, windows), keyId, windows);
    const [tagged, further] = await Promise.all(
      [tag.name, ''].map((name) => this.#parts.tags({ accountId, ...daysOf(windows), tag: name })),
    );
    if (tag.value !== '') return spentWithTag([...(tagged ?? []), ...(further ?? [])], tag, windows);
    // Read later: calls that are stored meanwhile count as calls without the tag, and are never missing.
    const all = await this.usageRows(accountId, windows);
    return spentWithoutTag(all, tagged ?? [], windows);
  }

  /** The usage of an account in this month. */
  usageRows(accountId: string, windows: BudgetWindows): Promise<readonly UsageDay[]> {
    return this.#parts.days({ accountId, ...daysOf(windows) });
  }
}
