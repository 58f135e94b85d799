import { isClean, plain } from '../kernel/cleansed.ts';
import { contentWords } from '../kernel/content-words.ts';
import { limits } from '../kernel/limits.ts';
import type { Forged, Gist, Outcome, Pattern } from '../kernel/ports/patterns.ts';
import { isGood } from './pattern-changes.ts';

/** Share of words that two notes about the same have in common. */
const sameShare = 0.6;

interface Told {
  readonly outcome: Outcome;
  readonly conversation: string;
  readonly gist: Gist;
  /** A call of the conversation. */
  readonly requestId: string;
}

/** What a note on how a conversation went teaches, in the words of who tells it; undefined where that is nothing. */
export function toldLesson({ outcome, conversation, gist, requestId }: Told): Forged | undefined {
  const said = plain(outcome.note, limits.outcomeLessonCharactersMax + 1);
  const words = contentWords(said);
  if (said.length > limits.outcomeLessonCharactersMax || words.length < 3 || !isClean(said)) return undefined;
  const quoted = said.replaceAll('"', "'");
  const kind = kindOf(outcome);
  const advice =
    kind === 'well'
      ? `More than one conversation like this went well. Of those it was said: "${quoted}"`
      : `More than one conversation like this went badly. Of those it was said: "${quoted}"`;
  return {
    trigger: { text: gist.about, tools: [], models: [] },
    advice,
    scope: gist.scope,
    fingerprint: `${prefixOf(kind)}${words.toSorted().join(' ')}`.slice(0, limits.patternFingerprintMax),
    requestId,
    conversation,
    isRepeated: true,
  };
}

/** One that tells the same, about as well or badly, in nearly the same words. */
export function sameLesson(lesson: Forged, open: readonly Pattern[]): string | undefined {
  const words = wordsOf(lesson.fingerprint);
  const isSame = ({ fingerprint, scope, origin }: Pattern) =>
    origin === 'forge' &&
    scope === lesson.scope &&
    isTold(fingerprint) &&
    fingerprint.split(' ')[1] === lesson.fingerprint.split(' ')[1] &&
    shareOf(words, wordsOf(fingerprint)) >= sameShare;
  return open.find(isSame)?.id;
}

/** Whether it came from what was told of conversations: one of those proves nothing yet. */
export function isTold(fingerprint: string): boolean {
  return fingerprint.startsWith('told ');
}

function kindOf(outcome: Outcome): 'well' | 'badly' {
  return isGood(outcome) ? 'well' : 'badly';
}

function prefixOf(kind: 'well' | 'badly'): string {
  return `told ${kind} `;
}

function wordsOf(fingerprint: string): ReadonlySet<string> {
  return new Set(fingerprint.split(' ').slice(2));
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return one.intersection(other).size / one.union(other).size;
}
