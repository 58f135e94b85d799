import { limits } from '../limits.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Compares this machine's clock with those of servers. */
export function clockFinding(aheadMs: Readonly<Record<string, number>>): Finding {
  const now = new Date().toISOString();
  const [furthest] = Object.entries(aheadMs).toSorted(
    ([, one], [, other]) => Math.abs(other) - Math.abs(one),
  );
  if (furthest === undefined) return ok('clock', `${now}, with no other clock to compare`);
  const [server, ms] = furthest;
  const seconds = Math.round(Math.abs(ms) / 1000);
  const found = `it is ${seconds} s ${ms > 0 ? 'ahead of' : 'behind'} the clock of ${server}`;
  const todo = 'set the clock, for example by running an NTP client';
  if (Math.abs(ms) > limits.doctorClockMsMax) return fail('clock', found, todo);
  if (Math.abs(ms) > limits.doctorClockMsLow) return warn('clock', found, todo);
  return ok('clock', seconds < 2 ? `${now}, same as ${Object.keys(aheadMs).join(', ')}` : found);
}
