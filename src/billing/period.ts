import type { Period } from '../kernel/ports/records.ts';

/** The calendar month in UTC. */
export function monthOf(nowMs: number): Period {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
}

/** Extrapolates the paid period: the webhook of its renewal may come after it has ended. */
export function currentPeriod({ startMs, endMs }: Period, nowMs: number): Period {
  const lengthMs = endMs - startMs;
  if (nowMs < endMs || lengthMs <= 0) return { startMs, endMs };
  const passed = Math.floor((nowMs - endMs) / lengthMs);
  const renewedMs = endMs + passed * lengthMs;
  return { startMs: renewedMs, endMs: renewedMs + lengthMs };
}
