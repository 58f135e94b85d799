import type { NanoUsd } from '../kernel/money.ts';
import type { BudgetTag, BudgetWindows } from '../kernel/ports/budget.ts';
import type { TagDay, UsageDay } from '../kernel/ports/records.ts';

interface Spent {
  day: NanoUsd;
  month: NanoUsd;
}

type DayCost = Pick<UsageDay, 'day' | 'costNanoUsd'>;

/** The days of the month so far. */
export function daysOf({ day, month }: BudgetWindows): { readonly from: string; readonly to: string } {
  return { from: dayName(month.startMs), to: dayName(day.startMs) };
}

/** What a key has spent, by the usage of its account in this month. */
export function spentIn(rows: readonly UsageDay[], keyId: string, windows: BudgetWindows): Spent {
  return sumUp(
    rows.filter((row) => row.keyId === keyId),
    windows,
  );
}

/**
 * What calls with this tag have spent. On a day on which the value has no sum of its own, all values without one count, since it may be
 * among them: too much rather than too little.
 */
export function spentWithTag(
  rows: readonly TagDay[],
  { name, value }: BudgetTag,
  windows: BudgetWindows,
): Spent {
  const costs = [...Map.groupBy(rows, ({ day }) => day).values()].flatMap((ofDay) => {
    const having = (tag: string, own: string) => ofDay.filter((row) => row.tag === tag && row.value === own);
    return [having(name, value), having(name, ''), having('', '')].find((found) => found.length > 0) ?? [];
  });
  return sumUp(costs, windows);
}

/** What calls without this tag have spent: all usage of the account but that of calls with the tag. */
export function spentWithoutTag(
  all: readonly UsageDay[],
  tagged: readonly TagDay[],
  windows: BudgetWindows,
): Spent {
  const [total, withTag] = [sumUp(all, windows), sumUp(tagged, windows)];
  return { day: Math.max(0, total.day - withTag.day), month: Math.max(0, total.month - withTag.month) };
}

function sumUp(rows: readonly DayCost[], { day }: BudgetWindows): Spent {
  const today = dayName(day.startMs);
  const spent = { day: 0, month: 0 };
  for (const row of rows) {
    spent.month += row.costNanoUsd;
    if (row.day === today) spent.day += row.costNanoUsd;
  }
  return spent;
}

/** `2026-11-15`. */
function dayName(dayStartMs: number): string {
  return new Date(dayStartMs).toISOString().slice(0, 10);
}
