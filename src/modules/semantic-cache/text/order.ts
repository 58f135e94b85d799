import type { Prompt } from './prompt.ts';
import type { Word } from './words.ts';

/** How many of its words another prompt must share before their order says anything. */
const sharedLeast = 0.6;

/** Words that a topic moved to the front may have before it elsewhere: "in Python, how …" and "how … in Python". */
const topicMarkers = new Set([
  'in',
  'on',
  'for',
  'with',
  'using',
  'about',
  'at',
  'of',
  'during',
  'after',
  'before',
  'when',
  'to',
  'by',
  'as',
  'from',
  'since',
  'per',
]);

/** Whether two prompts say nearly the same words in another order, and no phrase was merely moved. */
export function isReordered(old: Prompt, now: Prompt): boolean {
  if (isComparison(old) && isComparison(now)) return false;
  const [one, other] = common(arranged(old), arranged(now));
  const size = Math.max(old.content.length, now.content.length);
  if (one.length < 2 || one.length < sharedLeast * size) return false;
  if (sameOrder(one, other)) return false;
  if (isTurned(one, other, old, now) || isTurned(other, one, now, old)) return false;
  return !isMove(one, other) && !isMove(other, one);
}

/** The words that say something, with what belongs to what in one order: "the capital of Japan" is "Japan's capital". */
function arranged(prompt: Prompt): Word[] {
  const words = [...prompt.words];
  for (let at = 1; at < words.length - 1; at++) swapAround(words, at);
  // Numbers have rules of their own, and of a word that comes twice the last place counts.
  const content = words.filter((word) => word.isContent && !/^\d/.test(word.text));
  return content.filter(({ stem }, at) => !content.slice(at + 1).some((later) => later.stem === stem));
}

/** Where two things are set side by side, neither comes first. */
function isComparison({ words, plain }: Prompt): boolean {
  if (words.some(({ text }) => ['than', 'from', 'to', 'into', 'by'].includes(text))) return false;
  if (!words.some(({ text }) => ['and', 'or', 'vs', 'versus', '&'].includes(text))) return false;
  return (
    /\b(?:difference|differences|differ|compare|comparing|comparison|vs|versus|distinguish|similarities)\b/.test(
      plain,
    ) ||
    (/^(?:which|what)\b/.test(plain) && / or /.test(plain))
  );
}

function swapAround(words: Word[], at: number): void {
  const joint = words[at];
  if (joint === undefined || !['and', 'or', 'vs', 'versus', '&'].includes(joint.text)) return;
  const skipped = articles.has(words[at + 1]?.text ?? '') ? 2 : 1;
  const [before, after] = [words[at - 1], words[at + skipped]];
  if (before === undefined || after === undefined || !before.isContent || !after.isContent) return;
  // What stands around "and" means the same the other way round.
  if (before.stem > after.stem) {
    words[at - 1] = { ...after, marker: before.marker };
    words[at + skipped] = { ...before, marker: after.marker };
  }
}

const articles = new Set(['a', 'an', 'the', 'my', 'your', 'our', 'some', 'in', 'of', 'for', 'on', 'at']);

/** "The most loved country" and "which country is the most loved"; "class 10" and "10 class". */
function isTurned(one: readonly Word[], other: readonly Word[], whole: Prompt, turned: Prompt): boolean {
  const at = one.findIndex((word, place) => word.stem !== other[place]?.stem);
  const [first, second] = [one[at], one[at + 1]];
  if (first === undefined || second === undefined) return false;
  if (first.stem !== other[at + 1]?.stem || second.stem !== other[at]?.stem) return false;
  if (!sameOrder(one.slice(at + 2), other.slice(at + 2))) return false;
  if (/^\d/.test(first.text) || /^\d/.test(second.text)) return true;
  return (
    between(whole, first, second) === '' &&
    /\b(?:is|are|was|were)\b/.test(between(turned, second, first) ?? '')
  );
}

/** What stands between two words; undefined where they don't follow each other. */
function between({ words }: Prompt, one: Word, other: Word): string | undefined {
  const from = words.findIndex((word) => word.stem === one.stem);
  const to = words.findIndex((word) => word.stem === other.stem);
  if (to <= from) return undefined;
  return words
    .slice(from + 1, to)
    .map((word) => word.text)
    .join(' ');
}

/** Those words of each that the other has as well, as often. */
function common(one: readonly Word[], other: readonly Word[]): [Word[], Word[]] {
  return [kept(one, other), kept(other, one)];
}

function kept(words: readonly Word[], other: readonly Word[]): Word[] {
  const left = new Map<string, number>();
  for (const { stem } of other) left.set(stem, (left.get(stem) ?? 0) + 1);
  return words.filter(({ stem }) => {
    const count = left.get(stem) ?? 0;
    left.set(stem, count - 1);
    return count > 0;
  });
}

function sameOrder(one: readonly Word[], other: readonly Word[]): boolean {
  return one.every((word, at) => word.stem === other[at]?.stem);
}

/** Whether one is the other with one run of words put elsewhere, whose part in the sentence stays what it was. */
function isMove(one: readonly Word[], other: readonly Word[]): boolean {
  const size = one.length;
  for (let from = 0; from < size; from++)
    for (let length = 1; from + length <= size; length++) {
      const run = one.slice(from, from + length);
      const rest = [...one.slice(0, from), ...one.slice(from + length)];
      for (let to = 0; to <= rest.length; to++) {
        if (to === from) continue;
        const moved = [...rest.slice(0, to), ...run, ...rest.slice(to)];
        if (sameOrder(moved, other) && keepsParts(moved, other, { from: to, length })) return true;
      }
    }
  return false;
}

/** What was moved has a small word before it that says its part, here or there, or stands before what it belongs to. */
function keepsParts(
  moved: readonly Word[],
  other: readonly Word[],
  run: { from: number; length: number },
): boolean {
  const first = moved[run.from];
  const there = other[run.from];
  if (first === undefined || there === undefined) return false;
  const isTold = (marker: string) => marker === '' || topicMarkers.has(marker);
  if (first.marker === '' && there.marker === '') return false;
  if (!isTold(first.marker) || !isTold(there.marker)) return false;
  const owns = first.marker === 'of' || there.marker === 'of';
  const keeps = first.marker === there.marker || owns || first.marker === '' || there.marker === '';
  return keeps && moved.every((word, at) => at === run.from || word.marker === (other[at]?.marker ?? ''));
}
