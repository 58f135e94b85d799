/** Days of UTC up to today, or whole months. */
export const dayRangeNames = {
  today: 'Today',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  month: 'This month',
  last_month: 'Last month',
} as const;
export type DayRange = keyof typeof dayRangeNames;

export function isDayRange(name: unknown): name is DayRange {
  return typeof name === 'string' && Object.hasOwn(dayRangeNames, name);
}

export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Both inclusive. */
export function daysOf(range: DayRange, now = new Date()): Days {
  const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const between = (from: number, to = Date.UTC(year, month, date)) => ({ from: dayOf(from), to: dayOf(to) });
  switch (range) {
    case 'today':
      return between(Date.UTC(year, month, date));
    case '7d':
      return between(Date.UTC(year, month, date - 6));
    case '30d':
      return between(Date.UTC(year, month, date - 29));
    case '90d':
      return between(Date.UTC(year, month, date - 89));
    case 'month':
      return between(Date.UTC(year, month, 1));
    case 'last_month':
      return between(Date.UTC(year, month - 1, 1), Date.UTC(year, month, 0));
  }
}

/** All of these days. */
export function datesOf({ from, to }: Days): readonly string[] {
  const count = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  return Array.from({ length: count }, (_, day) => dayOf(Date.parse(from) + day * 86_400_000));
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
