import { isClean, plain } from '../kernel/cleansed.ts';
import { contentWords, tellingWords } from '../kernel/content-words.ts';
import { fingerprint } from '../kernel/fingerprint.ts';
import { limits } from '../kernel/limits.ts';
import { accountScope } from '../kernel/pattern-scopes.ts';
import type { Forged, Gist, Outcome, Pattern } from '../kernel/ports/patterns.ts';
import { isGood } from './pattern-changes.ts';

interface Told {
  readonly outcome: Outcome;
  readonly conversation: string;
  readonly gist: Gist;
  /** A call of the conversation. */
  readonly requestId: string;
}

/** What a note on how a conversation went teaches, in the words of who tells it; undefined where that is nothing. */
export function toldLesson({ outcome, conversation, gist, requestId }: Told): Forged | undefined {
  // Kept by a release that kept what nobody in particular had said.
  if (gist.scope === null) return undefined;
  const said = plain(outcome.note, limits.outcomeLessonCharactersMax + 1);
  if (said.length > limits.outcomeLessonCharactersMax || contentWords(said).length < 3 || !isClean(said))
    return undefined;
  const quoted = said.replaceAll('"', "'");
  const advice = isGood(outcome)
    ? `More than one conversation like this went well. Of those it was said: "${quoted}"`
    : `More than one conversation like this went badly. Of those it was said: "${quoted}"`;
  return {
    trigger: { text: gist.about, tools: [], models: [] },
    advice,
    scope: gist.scope === accountScope ? null : gist.scope,
    fingerprint: fingerprint('told', [isGood(outcome) ? 'well' : 'badly', ...tellingWords(said)]),
    requestId,
    conversation,
    isRepeated: true,
  };
}

/** Whether it came from what was told of conversations: one of those proves nothing yet. */
export function isTold(pattern: Pick<Pattern, 'fingerprint'>): boolean {
  return pattern.fingerprint.startsWith('told ');
}
