import type { Pattern } from '../pattern.ts';

/** Wins and losses, with fractions if uncertain. */
interface Tally {
  readonly wins: number;
  readonly losses: number;
}

export interface PatternEffect {
  /** The probability that conversations go better with the pattern than without it. */
  readonly helps: number;
  readonly with: ShareEstimate;
  readonly without: ShareEstimate;
}

/** The share of conversations that go well: the expected value and its 90 % interval. */
interface ShareEstimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** A pattern below this is retired, once both sides have enough conversations. */
const retiredBelow = 0.05;
/** The minimum number of conversations on each side: fewer may be chance. */
const outcomesMin = 4;
/** A pattern without a benefit after this many conversations is retired below even odds, since it costs tokens. */
const idleOutcomes = 150;
const idleBelow = 0.25;
/** Below even odds half of the traffic is held out: that harms fewer users, and is the fastest way to learn. */
const suspectHoldOut = 0.5;

const effectCache = new WeakMap<Pattern, PatternEffect>();

/** Two Beta posteriors with a uniform prior: conversations with the pattern, and the holdout. */
export function patternEffectOf(pattern: Pattern): PatternEffect {
  const before = effectCache.get(pattern);
  if (before !== undefined) return before;
  const [on, off] = [posterior(pattern), posterior(pattern.without)];
  const worth = { helps: probabilityFirstIsGreater(on, off), with: shareOf(on), without: shareOf(off) };
  effectCache.set(pattern, worth);
  return worth;
}

/** Why it should be retired; undefined if it shouldn't. */
export function retirementReasonOf(pattern: Pattern): string | undefined {
  const [on, off] = [outcomesOf(pattern), outcomesOf(pattern.without)];
  if (Math.min(on, off) < outcomesMin) return undefined;
  const { helps } = patternEffectOf(pattern);
  const chance = `the chance that it helps is ${(100 * helps).toFixed(1)} %`;
  if (helps < retiredBelow) return chance;
  return on + off >= idleOutcomes && helps < idleBelow
    ? `${chance} after ${Math.round(on + off)} conversations`
    : undefined;
}

/** The share of its traffic in the holdout. */
export function holdoutShareOf(pattern: Pattern, usual: number): number {
  if (usual === 0 || outcomesOf(pattern) < outcomesMin) return usual;
  return patternEffectOf(pattern).helps < 0.5 ? Math.max(usual, suspectHoldOut) : usual;
}

function outcomesOf({ wins, losses }: Tally): number {
  return wins + losses;
}

/** Points evenly spaced from 0 to 1. */
const points = Float64Array.from({ length: 500 }, (_, at) => (at + 0.5) / 500);
const logs = points.map(Math.log);
const logsOfRest = points.map((x) => Math.log(1 - x));

/** Its density at these points, normalized to the sum 1. */
function posterior({ wins, losses }: Tally): Float64Array {
  const density = new Float64Array(points.length);
  const mode = wins + losses === 0 ? 0.5 : wins / (wins + losses);
  const highest = wins * Math.log(mode || 1) + losses * Math.log(1 - mode || 1);
  let sum = 0;
  for (let at = 0; at < density.length; at++) {
    const weight = Math.exp(wins * (logs[at] ?? 0) + losses * (logsOfRest[at] ?? 0) - highest);
    density[at] = weight;
    sum += weight;
  }
  return density.map((weight) => weight / sum);
}

function probabilityFirstIsGreater(first: Float64Array, second: Float64Array): number {
  let chance = 0;
  let below = 0;
  for (let at = 0; at < first.length; at++) {
    const here = second[at] ?? 0;
    chance += (first[at] ?? 0) * (below + here / 2);
    below += here;
  }
  return chance;
}

function shareOf(density: Float64Array): ShareEstimate {
  let mean = 0;
  let sum = 0;
  let [low, high] = [0, 1];
  for (let at = 0; at < density.length; at++) {
    const [x, weight] = [points[at] ?? 0, density[at] ?? 0];
    mean += x * weight;
    if (sum < 0.05) low = x;
    if (sum < 0.95) high = x;
    sum += weight;
  }
  return { mean, low, high };
}
