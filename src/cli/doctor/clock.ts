import { limits } from '../../kernel/limits.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** How far this machine's clock is from the others'. */
export function clockFinding(aheadMs: Readonly<Record<string, number>>): Finding {
  const now = new Date().toISOString();
  const [furthest] = Object.entries(aheadMs).toSorted(
    ([, one], [, other]) => Math.abs(other) - Math.abs(one),
  );
  if (furthest === undefined) return ok('clock', `${now}, with nobody to compare it with`);
  const [whose, ms] = furthest;
  const seconds = Math.round(Math.abs(ms) / 1000);
  const found = `it is ${seconds} s ${ms > 0 ? 'ahead of' : 'behind'} the clock of ${whose}`;
  const todo = 'set the clock, for example by running an NTP client';
  if (Math.abs(ms) > limits.doctorClockMsMax) return fail('clock', found, todo);
  if (Math.abs(ms) > limits.doctorClockMsLow) return warn('clock', found, todo);
  return ok('clock', seconds < 2 ? `${now}, as that of ${Object.keys(aheadMs).join(', ')}` : found);
}
