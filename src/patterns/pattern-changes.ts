import { limits } from '../kernel/limits.ts';
import type { Forged, JudgedTrial, Outcome, Pattern, Verdict } from '../kernel/ports/patterns.ts';
import { whyRetire } from './worth.ts';

/** Conversations in which one of an end user's has to win before all end users get it. */
const winsToWiden = 3;
/** Conversations that show the same: then it is no chance. */
const sightsToActivate = 2;

/** The same with a line more in its story. */
export function told(pattern: Pattern, what: string, atMs: number): Pattern {
  const story = [...pattern.story, { atMs, what }].slice(-limits.patternStoryMax);
  return { ...pattern, story, updatedAtMs: atMs };
}

/** What a verdict on a conversation makes of a pattern that was tried in it. */
export function judged(
  pattern: Pattern,
  trial: JudgedTrial,
  { conversation, atMs }: { readonly conversation: string; readonly atMs: number },
): Pattern {
  const { isHeldOut, before, now } = trial;
  const summed = (tally: { readonly wins: number; readonly losses: number }) => ({
    wins: rounded(tally.wins + now.good - before.good),
    losses: rounded(tally.losses + now.bad - before.bad),
  });
  const counted: Pattern = isHeldOut
    ? { ...pattern, without: summed(pattern.without), updatedAtMs: atMs }
    : { ...pattern, ...summed(pattern), wonIn: wonIn(pattern, now, conversation), updatedAtMs: atMs };
  return retiredOrNot(widenedOrNot(counted, atMs), atMs);
}

function wonIn({ wonIn: before }: Pattern, verdict: Verdict, conversation: string): readonly string[] {
  const others = before.filter((one) => one !== conversation);
  return isGood(verdict) ? latest([...others, conversation]) : others;
}

function widenedOrNot(pattern: Pattern, atMs: number): Pattern {
  if (pattern.scope === null || pattern.wonIn.length < winsToWiden) return pattern;
  return told(
    { ...pattern, scope: null },
    `won in ${winsToWiden} conversations: for all end users now`,
    atMs,
  );
}

function retiredOrNot(pattern: Pattern, atMs: number): Pattern {
  const why = pattern.state === 'retired' ? undefined : whyRetire(pattern);
  return why === undefined ? pattern : told({ ...pattern, state: 'retired' }, `retired: ${why}`, atMs);
}

/** A pattern that was found in another conversation, or in the same one again. */
export function seenAgain(pattern: Pattern, forged: Forged, atMs: number): Pattern {
  const { requestId, conversation } = forged;
  if (pattern.evidence.includes(requestId)) return pattern;
  const isNew = !pattern.seenIn.includes(conversation);
  const seen = {
    ...pattern,
    evidence: latest([...pattern.evidence, requestId]),
    seenIn: isNew ? latest([...pattern.seenIn, conversation]) : pattern.seenIn,
  };
  const noted = isNew ? told(seen, `found again in ${requestId}`, atMs) : seen;
  if (noted.state !== 'candidate' || noted.seenIn.length < sightsToActivate) return noted;
  return activated(noted, `found in ${noted.seenIn.length} conversations`, atMs);
}

export function activated(pattern: Pattern, why: string, atMs: number): Pattern {
  return told({ ...pattern, state: 'active' }, `active: ${why}`, atMs);
}

/** What is told of the whole conversation, else the mean of what is told of its calls. */
export function verdictOf(outcomes: readonly Outcome[]): Verdict | undefined {
  const whole = outcomes.find(({ requestId }) => requestId === '');
  if (whole !== undefined) return whole;
  if (outcomes.length === 0) return undefined;
  const mean = (part: 'good' | 'bad') => outcomes.reduce((sum, one) => sum + one[part], 0) / outcomes.length;
  return { good: mean('good'), bad: mean('bad') };
}

export function isGood({ good, bad }: Verdict): boolean {
  return good > bad;
}

function latest(entries: readonly string[]): readonly string[] {
  return entries.slice(-limits.patternEvidenceMax);
}

/** Sums of thousandths, without what binary fractions add to them. */
function rounded(sum: number): number {
  return Math.max(0, Math.round(sum * 1000) / 1000);
}
