import type { NanoUsd } from '../kernel/money.ts';
import type { BudgetTag, BudgetWindows, SpentBefore } from '../kernel/ports/budget.ts';
import type { BudgetHour, TagDay, UsageDay } from '../kernel/ports/records.ts';

/** Money that was spent on a day or in an hour. */
export interface TimedCost {
  readonly atMs: number;
  readonly amount: NanoUsd;
}

type DayCost = Pick<UsageDay, 'day' | 'costNanoUsd'>;

/** The days of all windows so far. */
export function daysOf({ day, month, rolling }: BudgetWindows): {
  readonly from: string;
  readonly to: string;
} {
  const firstMs = Math.min(month.startMs, rolling?.startMs ?? month.startMs);
  return { from: dayName(firstMs), to: dayName(day.startMs) };
}

/** What an account has spent, or one of its keys. */
export function costsOf(rows: readonly UsageDay[], keyId?: string): readonly TimedCost[] {
  return byDay(keyId === undefined ? rows : rows.filter((row) => row.keyId === keyId));
}

/**
 * What calls with this tag have spent. On a day on which the value has no sum of its own, all values without one count, since it may be
 * among them: too much rather than too little.
 */
export function costsWithTag(rows: readonly TagDay[], { name, value }: BudgetTag): readonly TimedCost[] {
  const costs = [...Map.groupBy(rows, ({ day }) => day).values()].flatMap((ofDay) => {
    const having = (tag: string, own: string) => ofDay.filter((row) => row.tag === tag && row.value === own);
    return [having(name, value), having(name, ''), having('', '')].find((found) => found.length > 0) ?? [];
  });
  return byDay(costs);
}

/** What calls without this tag have spent: all usage of the account but that of calls with the tag. */
export function costsWithoutTag(all: readonly UsageDay[], tagged: readonly TagDay[]): readonly TimedCost[] {
  return [...byDay(all), ...byDay(tagged).map(({ atMs, amount }) => ({ atMs, amount: -amount }))];
}

export function costsByHour(rows: readonly BudgetHour[]): readonly TimedCost[] {
  return rows.map(({ hourMs, costNanoUsd }) => ({ atMs: hourMs, amount: costNanoUsd }));
}

/** The costs in each window. */
export function sumCosts(costs: readonly TimedCost[], { day, month, rolling }: BudgetWindows): SpentBefore {
  const since = (startMs: number) => {
    const sum = costs.reduce((all, { atMs, amount }) => (atMs < startMs ? all : all + amount), 0);
    return Math.max(0, sum);
  };
  const spent = { day: since(day.startMs), month: since(month.startMs) };
  if (rolling === undefined) return spent;
  const { startMs, endMs, partStartMs } = rolling;
  const partMs = endMs - partStartMs;
  const parts = new Map<number, NanoUsd>();
  for (const { atMs, amount } of costs) {
    const partMsOf = Math.floor(atMs / partMs) * partMs;
    if (partMsOf >= startMs) parts.set(partMsOf, (parts.get(partMsOf) ?? 0) + amount);
  }
  return { ...spent, parts: [...parts].map(([start, amount]) => ({ startMs: start, amount })) };
}

function byDay(rows: readonly DayCost[]): readonly TimedCost[] {
  const days = new Map<string, NanoUsd>();
  for (const { day, costNanoUsd } of rows) days.set(day, (days.get(day) ?? 0) + costNanoUsd);
  return [...days].map(([day, amount]) => ({ atMs: Date.parse(day), amount }));
}

/** `2026-11-15`. */
function dayName(dayStartMs: number): string {
  return new Date(dayStartMs).toISOString().slice(0, 10);
}
