import { contentWords, isFreeOfSecrets, significantWords, toPlainLine } from '../../../module-api.ts';
import { patternFingerprint } from '../fingerprint.ts';
import type { Gist, Outcome, Pattern, PatternProposal } from '../pattern.ts';
import { accountScope } from '../scopes.ts';
import { limits } from './limits.ts';
import { isGood } from './pattern-changes.ts';

interface LessonSource {
  readonly outcome: Outcome;
  readonly conversation: string;
  readonly gist: Gist;
  /** A call of the conversation. */
  readonly requestId: string;
}

/** The lesson in a note on an outcome, in the words of its author; undefined if there is none. */
export function lessonFromOutcome({
  outcome,
  conversation,
  gist,
  requestId,
}: LessonSource): PatternProposal | undefined {
  // Stored by a release that kept notes without an end user.
  if (gist.scope === null) return undefined;
  const note = toPlainLine(outcome.note, limits.outcomeLessonCharactersMax + 1);
  if (
    note.length > limits.outcomeLessonCharactersMax ||
    contentWords(note).length < 3 ||
    !isFreeOfSecrets(note)
  )
    return undefined;
  const quoted = note.replaceAll('"', "'");
  const advice = isGood(outcome)
    ? `More than one conversation like this went well. Of those it was said: "${quoted}"`
    : `More than one conversation like this went badly. Of those it was said: "${quoted}"`;
  return {
    trigger: { text: gist.about, tools: [], models: [] },
    advice,
    scope: gist.scope === accountScope ? null : gist.scope,
    fingerprint: patternFingerprint('told', [isGood(outcome) ? 'well' : 'badly', ...significantWords(note)]),
    requestId,
    conversation,
    needsRepetition: true,
  };
}

/** Whether it came from reported outcomes: a single one proves nothing yet. */
export function isFromOutcome(pattern: Pick<Pattern, 'fingerprint'>): boolean {
  return pattern.fingerprint.startsWith('told ');
}
