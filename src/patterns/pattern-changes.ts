import { limits } from '../kernel/limits.ts';
import { isFromWords } from '../kernel/pattern-scopes.ts';
import type { Forged, JudgedTrial, Outcome, Pattern, Verdict } from '../kernel/ports/patterns.ts';
import { whyRetire } from './worth.ts';

/** Conversations that show the same: then it is no chance. */
const sightsToActivate = 2;
/** How the story begins to tell of a change that the account's holder made. */
export const changedByPerson = 'changed by a person: ';

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
  return retiredOrNot(counted, atMs);
}

function wonIn({ wonIn: before }: Pattern, verdict: Verdict, conversation: string): readonly string[] {
  const others = before.filter((one) => one !== conversation);
  return isGood(verdict) ? latest([...others, conversation]) : others;
}

/** Whether it is made of what somebody said, is for all end users, and the account's holder has never said so. */
export function lacksApproval(pattern: Pattern): boolean {
  const { origin, scope, state, approved, story } = pattern;
  if (origin !== 'forge' || scope !== null || state !== 'active' || approved === true) return false;
  return isFromWords(pattern) && !story.some(({ what }) => what.startsWith(changedByPerson));
}

/** One that an earlier release gave to all end users. Whose words it is made of is no longer known. */
export function unapproved(pattern: Pattern, atMs: number): Pattern {
  if (!lacksApproval(pattern)) return pattern;
  const waiting: Pattern = { ...pattern, state: 'candidate', seenIn: [] };
  return told(waiting, 'waits for approval: it is made of what an end user said', atMs);
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
    ...(forged.scope === null && { approved: true as const }),
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
