const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Dollars as people read them: `$12.40`, `$0.0042`, `< $0.0001`. */
export function usd(amount: string | number | null | undefined): string {
  if (amount === null || amount === undefined) return '–';
  const value = Number(amount);
  const size = Math.abs(value);
  if (size === 0) return '$0';
  if (size < 0.0001) return value < 0 ? '> −$0.0001' : '< $0.0001';
  const sign = value < 0 ? '−' : '';
  if (size < 0.01) return `${sign}$${size.toFixed(4)}`;
  const isCents = Math.abs(size * 100 - Math.round(size * 100)) < 1e-9;
  if (size < 1 && !isCents) return `${sign}$${size.toFixed(3)}`;
  const [dollars = '0', cents = '00'] = size.toFixed(2).split('.');
  return `${sign}$${whole.format(Number(dollars))}.${cents}`;
}

/** Of a call: an estimate is marked as one, and nothing is nothing. */
export function costOf({
  cost_usd: cost,
  cost_estimated: isEstimate,
}: {
  readonly cost_usd: string | null;
  readonly cost_estimated: boolean;
}): string {
  return isEstimate && Number(cost) > 0 ? `≈ ${usd(cost)}` : usd(cost);
}

/** All digits that are known, for a look at the exact value. */
export function exactUsd(amount: string | number | null | undefined): string {
  return amount === null || amount === undefined ? 'Unknown price' : `$${amount}`;
}

/** Why something didn't work, for people. */
export function sentenceError(error: unknown): string {
  const text = error instanceof Error ? error.message : 'that did not work';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : whole.format(value);
}

export function short(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return value < 10_000 ? whole.format(value) : compact.format(value);
}

/** `340 B`, `1.2 KB`, `64 MB`: by thousands. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const [unit, value] =
    size < 999_950 ? ['KB', size / 1e3] : size < 999_950_000 ? ['MB', size / 1e6] : ['GB', size / 1e9];
  return `${value < 10 ? value.toFixed(1) : whole.format(value)} ${unit}`;
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms === 0) return '0 ms';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `▲ 12 %` or `▼ 3 %`; nothing if there is nothing to compare. */
export function changeOf(now: number, before: number | undefined): string {
  if (before === undefined || before <= 0 || now <= 0) return '';
  const change = Math.round((100 * (now - before)) / before);
  if (change === 0) return '';
  return `${change > 0 ? '▲' : '▼'} ${whole.format(Math.abs(change))} %`;
}

export function percent(part: number, all: number): string {
  if (all === 0) return '0 %';
  const share = (100 * part) / all;
  if (share > 0 && share < 0.05) return '< 0.1 %';
  return `${share > 0 && share < 10 ? share.toFixed(1) : whole.format(share)} %`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const otherYear = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hour12: false,
});
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

export function timeOf(at: string): string {
  const [moment, now] = [new Date(at), new Date()];
  if (moment.toDateString() === now.toDateString()) return clock.format(moment);
  return (moment.getFullYear() === now.getFullYear() ? dayAndTime : otherYear).format(moment);
}

const utcDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Of what begins and ends with days of UTC, wherever one looks at it from. */
export function utcDateOf(at: string): string {
  return utcDate.format(new Date(at));
}

export function dateOf(at: string): string {
  return date.format(new Date(at));
}

/** `2026-11-15 12:04:07.123 UTC` */
export function utc(at: string): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

export function ago(at: string | null, now = Date.now()): string {
  if (at === null) return 'never';
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Of an axis whose values are so far apart: the same number of digits all along, as many as tell one from the next. */
export function dollarsOnAxis(value: number, step: number): string {
  if (step >= 1000) return `$${short(value)}`;
  const digits = step >= 1 ? 0 : Math.max(2, Math.ceil(-Math.log10(step) - 1e-9));
  return `$${value.toFixed(digits)}`;
}
