import type { JudgedTrial, Outcome, Pattern, PatternProposal, Verdict } from '../pattern.ts';
import { isFromUserText } from '../scopes.ts';
import { limits } from './limits.ts';
import { retirementReasonOf } from './pattern-effect.ts';

/** Conversations that must show the same, to rule out chance. */
const sightingsToActivate = 2;
/** The prefix of history entries for changes by the account holder. */
export const personChangePrefix = 'changed by a person: ';

/** Adds a line to the history of a pattern. */
export function appendStory(pattern: Pattern, what: string, atMs: number): Pattern {
  const story = [...pattern.story, { atMs, what }].slice(-limits.patternStoryMax);
  return { ...pattern, story, updatedAtMs: atMs };
}

/** Applies the verdict on a conversation to a pattern that was tried in it. */
export function applyVerdict(
  pattern: Pattern,
  trial: JudgedTrial,
  { conversation, atMs }: { readonly conversation: string; readonly atMs: number },
): Pattern {
  const { isHeldOut, before, now } = trial;
  const summed = (tally: { readonly wins: number; readonly losses: number }) => ({
    wins: roundSum(tally.wins + now.good - before.good),
    losses: roundSum(tally.losses + now.bad - before.bad),
  });
  const counted: Pattern = isHeldOut
    ? { ...pattern, without: summed(pattern.without), updatedAtMs: atMs }
    : { ...pattern, ...summed(pattern), wonIn: updateWonIn(pattern, now, conversation), updatedAtMs: atMs };
  return retireIfUseless(counted, atMs);
}

function updateWonIn({ wonIn: before }: Pattern, verdict: Verdict, conversation: string): readonly string[] {
  const others = before.filter((one) => one !== conversation);
  return isGood(verdict) ? keepLatest([...others, conversation]) : others;
}

/** Whether it quotes an end user, applies to all end users, and was never approved by the account holder. */
export function lacksApproval(pattern: Pattern): boolean {
  const { origin, scope, state, approved, story } = pattern;
  if (origin !== 'forge' || scope !== null || state !== 'active' || approved === true) return false;
  return isFromUserText(pattern) && !story.some(({ what }) => what.startsWith(personChangePrefix));
}

/** Withdraws a pattern that an earlier release gave to all end users; its original author is no longer known. */
export function demoteUnapproved(pattern: Pattern, atMs: number): Pattern {
  if (!lacksApproval(pattern)) return pattern;
  const waiting: Pattern = { ...pattern, state: 'candidate', seenIn: [] };
  return appendStory(waiting, 'waits for approval: it is made of what an end user said', atMs);
}

function retireIfUseless(pattern: Pattern, atMs: number): Pattern {
  const why = pattern.state === 'retired' ? undefined : retirementReasonOf(pattern);
  return why === undefined ? pattern : appendStory({ ...pattern, state: 'retired' }, `retired: ${why}`, atMs);
}

/** Updates a pattern that was found in another conversation, or again in the same one. */
export function addEvidence(pattern: Pattern, patternProposal: PatternProposal, atMs: number): Pattern {
  const { requestId, conversation } = patternProposal;
  if (pattern.evidence.includes(requestId)) return pattern;
  const isNew = !pattern.seenIn.includes(conversation);
  const seen = {
    ...pattern,
    evidence: keepLatest([...pattern.evidence, requestId]),
    seenIn: isNew ? keepLatest([...pattern.seenIn, conversation]) : pattern.seenIn,
    ...(patternProposal.scope === null && { approved: true as const }),
  };
  const noted = isNew ? appendStory(seen, `found again in ${requestId}`, atMs) : seen;
  if (noted.state !== 'candidate' || noted.seenIn.length < sightingsToActivate) return noted;
  return activate(noted, `found in ${noted.seenIn.length} conversations`, atMs);
}

export function activate(pattern: Pattern, why: string, atMs: number): Pattern {
  return appendStory({ ...pattern, state: 'active' }, `active: ${why}`, atMs);
}

/** The outcome reported for the whole conversation, else the mean of those for its calls. */
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

function keepLatest(entries: readonly string[]): readonly string[] {
  return entries.slice(-limits.patternEvidenceMax);
}

/** Adds in thousandths, to avoid errors of binary fractions. */
function roundSum(sum: number): number {
  return Math.max(0, Math.round(sum * 1000) / 1000);
}
