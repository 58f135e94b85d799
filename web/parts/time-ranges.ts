const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Times that end now. Days and months are those of the browser. */
export const timeRanges = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  today: 'Today',
  month: 'This month',
} as const;
export type TimeRange = keyof typeof timeRanges;

export function isTimeRange(name: unknown): name is TimeRange {
  return typeof name === 'string' && Object.hasOwn(timeRanges, name);
}

export function startOfRange(range: TimeRange, now = new Date()): Date {
  switch (range) {
    case '1h':
      return new Date(now.getTime() - hourMs);
    case '24h':
      return new Date(now.getTime() - dayMs);
    case '7d':
      return new Date(now.getTime() - 7 * dayMs);
    case '30d':
      return new Date(now.getTime() - 30 * dayMs);
    case 'today':
      return new Date(now.getFullYear(), now.getMonth(), now.getDate());
    case 'month':
      return new Date(now.getFullYear(), now.getMonth(), 1);
  }
}

/** A time as fields of type `datetime-local` have it, in the time zone of the browser. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return '';
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [String(time.getFullYear()).padStart(4, '0'), two(time.getMonth() + 1), two(time.getDate())];
  return `${day.join('-')}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Undefined if the field is empty. */
export function fromLocalInput(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
