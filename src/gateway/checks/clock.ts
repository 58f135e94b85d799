import { type CheckResult, degraded, failing, passed } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';

/** Milliseconds by which the clock of this machine is ahead of others, by their names. */
export type ClockDifferences = Readonly<Record<string, number>>;

/** Judges the clock of this machine by the one that differs most. */
export function compareClocks(aheadMs: ClockDifferences): CheckResult {
  const now = new Date().toISOString();
  const [furthest] = Object.entries(aheadMs).toSorted(
    ([, one], [, other]) => Math.abs(other) - Math.abs(one),
  );
  if (furthest === undefined) return passed(`${now}, with no other clock to compare`);
  const [server, ms] = furthest;
  const seconds = Math.round(Math.abs(ms) / 1000);
  const detail = `it is ${seconds} s ${ms > 0 ? 'ahead of' : 'behind'} the clock of ${server}`;
  const hint = 'set the clock, for example by running an NTP client';
  if (Math.abs(ms) > limits.clockSkewMsMax) return failing(detail, hint);
  if (Math.abs(ms) > limits.clockSkewMsLow) return degraded(detail, hint);
  return passed(seconds < 2 ? `${now}, same as ${Object.keys(aheadMs).join(', ')}` : detail);
}
