import { toActiveOrder } from '../reading/passive.ts';
import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

/** The minimum share of common words for a comparison of their order. */
const sharedLeast = 0.6;

/** Whether two prompts have nearly the same words in a different order, beyond a moved phrase. */
export function isReordered(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const isAlike = haveSameAuxiliary(old, now);
  if (haveSameWords(orderedWordsOf(old.words), orderedWordsOf(now.words)))
    return isChangedByOrder(old, now, isAlike);
  if (isComparison(old) && isComparison(now)) return false;
  const size = Math.max(old.content.length, now.content.length);
  // If the agent is ambiguous, one reading with the same order is enough.
  return orderVariantsOf(old).every((first) =>
    orderVariantsOf(now).every((second) => areOrdersDifferent(first, second, { size, isAlike })),
  );
}

/**
 * The same words in another order ask something else, unless one phrase moved from or to the beginning or the end, or the sides
 * of an "and" or "or" changed places as a whole.
 */
function isChangedByOrder(old: ParsedPrompt, now: ParsedPrompt, isAlike: boolean): boolean {
  const areCompared = isComparison(old) && isComparison(now);
  const move = { isAlike, onlyAtEdge: true };
  return activeOrdersOf(old).every((first) =>
    activeOrdersOf(now).every((second) => {
      const [one, other] = [orderedWordsOf(first), orderedWordsOf(second)];
      if (sameOrder(one, other) || haveSwappedSides(first, second, areCompared)) return false;
      return !isMovedRun(one, other, move) && !isMovedRun(other, one, move);
    }),
  );
}

function activeOrdersOf({ words }: ParsedPrompt): readonly (readonly Word[])[] {
  return [toActiveOrder(words, 'no'), toActiveOrder(words, 'yes')];
}

/** Content words and numbers, without words that can stand anywhere. */
function orderedWordsOf(words: readonly Word[]): readonly Word[] {
  return words.filter((word) => word.isContent && !isAdverb(word));
}

/** Whether the sides of one conjunction changed places: single words, or everything that is compared. */
function haveSwappedSides(one: readonly Word[], other: readonly Word[], areCompared: boolean): boolean {
  const [first, second] = [sidesOf(one), sidesOf(other)];
  const before = sharedPrefixLength(first, second);
  const after = sharedPrefixLength(first.toReversed(), second.toReversed());
  // Both sides may begin or end with the same words.
  for (let from = 0; from <= before; from++)
    for (let to = first.length; to >= first.length - after && to > from; to--)
      if (areSidesSwapped(first.slice(from, to), second.slice(from, to), areCompared)) return true;
  return false;
}

/** Content words, and the conjunctions between them. */
function sidesOf(words: readonly Word[]): readonly Word[] {
  const last = words.findLastIndex(({ isContent }) => isContent);
  return words.filter((word, at) => word.isContent || (at < last && conjunctions.has(word.text)));
}

function areSidesSwapped(one: readonly Word[], other: readonly Word[], areCompared: boolean): boolean {
  return one.some((word, at) => {
    if (!conjunctions.has(word.text) || at === 0 || at === one.length - 1) return false;
    const [left, right] = [one.slice(0, at), one.slice(at + 1)];
    if (!areCompared && one.length !== 3) return false;
    return sameOrder([...right, word, ...left], other);
  });
}

function orderVariantsOf(parsedPrompt: ParsedPrompt): readonly (readonly Word[])[] {
  const [plain, turned] = [arrangeWords(parsedPrompt, 'no'), arrangeWords(parsedPrompt, 'yes')];
  return sameOrder(plain, turned) ? [plain] : [plain, turned];
}

function areOrdersDifferent(
  first: readonly Word[],
  second: readonly Word[],
  { size, isAlike }: { readonly size: number; readonly isAlike: boolean },
): boolean {
  const [one, other] = haveSameWords(first, second)
    ? [first, second]
    : common(dropRepeated(first), dropRepeated(second));
  if (one.length < 2 || one.length < sharedLeast * size) return false;
  if (sameOrder(one, other)) return false;
  const move = { isAlike, onlyAtEdge: false };
  return !isMovedRun(one, other, move) && !isMovedRun(other, one, move);
}

/** The content words in active order, without those that can stand anywhere. */
function arrangeWords(parsedPrompt: ParsedPrompt, ergative: 'yes' | 'no'): readonly Word[] {
  const words = toActiveOrder(parsedPrompt.words, ergative);
  for (let at = 1; at < words.length - 1; at++) sortAround(words, at);
  // Other rules compare numbers.
  return words.filter((word) => word.isContent && !/^\d/.test(word.text) && !isAdverb(word));
}

const adverbs = wordSet(
  'last often online offline together abroad outside inside always usually already twice',
);

function isAdverb({ text, isName }: Word): boolean {
  return adverbs.has(text) || (text.length > 4 && text.endsWith('ly') && !isName);
}

/** Keeps only the last occurrence of each word. */
function dropRepeated(words: readonly Word[]): readonly Word[] {
  return words.filter(({ stem }, at) => !words.slice(at + 1).some((later) => later.stem === stem));
}

/** In a comparison of two things, their order doesn't matter. */
function isComparison({ words, plain }: ParsedPrompt): boolean {
  if (words.some(({ text }) => ['than', 'from', 'to', 'into', 'by'].includes(text))) return false;
  if (!words.some(({ text }) => conjunctions.has(text))) return false;
  return (
    /\b(?:difference|differences|differ|different|compare|comparing|comparison|vs|versus|distinguish|similarities)\b/.test(
      plain,
    ) ||
    (/^(?:which|what)\b/.test(plain) && / or /.test(plain))
  );
}

const conjunctions = new Set(['and', 'or', 'vs', 'versus', '&']);
const articles = new Set(['a', 'an', 'the', 'my', 'your', 'our', 'some', 'in', 'of', 'for', 'on', 'at']);

/** Sorts the words around "and", whose order doesn't matter. */
function sortAround(words: Word[], at: number): void {
  if (!conjunctions.has(words[at]?.text ?? '')) return;
  const skipped = articles.has(words[at + 1]?.text ?? '') ? 2 : 1;
  const [before, after] = [words[at - 1], words[at + skipped]];
  if (before === undefined || after === undefined || !before.isContent || !after.isContent) return;
  if (before.stem <= after.stem) return;
  words[at - 1] = { ...after, marker: before.marker };
  words[at + skipped] = { ...before, marker: after.marker };
}

/** Whether both or neither use "does" or "did"; otherwise the agents may differ. */
function haveSameAuxiliary(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const asks = ({ words }: ParsedPrompt) => words.some(({ text }) => text === 'does' || text === 'did');
  return asks(old) === asks(now);
}

function haveSameWords(one: readonly Word[], other: readonly Word[]): boolean {
  const bag = (words: readonly Word[]) =>
    words
      .map(({ stem }) => stem)
      .sort()
      .join(' ');
  return bag(one) === bag(other);
}

/** The words of each prompt that the other has, too, at most as often as there. */
function common(one: readonly Word[], other: readonly Word[]): [Word[], Word[]] {
  return [keepShared(one, other), keepShared(other, one)];
}

function keepShared(words: readonly Word[], other: readonly Word[]): Word[] {
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

interface MovedRun {
  readonly from: number;
  readonly length: number;
  /** The words that it moved across. */
  readonly jumped: readonly Word[];
}

/** Whether one equals the other with one run of words moved that keeps its role. */
function isMovedRun(
  one: readonly Word[],
  other: readonly Word[],
  { isAlike, onlyAtEdge }: { readonly isAlike: boolean; readonly onlyAtEdge: boolean },
): boolean {
  const begin = sharedPrefixLength(one, other);
  const end = one.length - sharedPrefixLength(one.slice(begin).reverse(), other.slice(begin).reverse());
  const isAtEdge = begin === 0 || end === one.length;
  // The rest is two swapped runs: either may have moved across the other.
  for (let between = begin + 1; between < end; between++) {
    const [first, second] = [one.slice(begin, between), one.slice(between, end)];
    const moved = [...one.slice(0, begin), ...second, ...first, ...one.slice(end)];
    if (first[0]?.stem !== other[begin + second.length]?.stem || !sameOrder(moved, other)) continue;
    const runs = [
      { from: begin, length: second.length, jumped: first },
      { from: begin + second.length, length: first.length, jumped: second },
    ];
    for (const run of runs) {
      const keepsPlace = onlyAtEdge && !(isAtEdge && keepsPreposition(moved, other, run));
      if (!keepsPlace && isMovedPhrase(moved, other, run)) return true;
      if (isMovedCompound(moved, other, run)) return true;
      if (isAlike && isMovedLabel(moved, other, run)) return true;
    }
  }
  return false;
}

/** Whether a phrase has the same preposition in both prompts, or one of them needs none: "Japan's capital". */
function keepsPreposition(moved: readonly Word[], other: readonly Word[], { from }: MovedRun): boolean {
  const [here, there] = [moved[from]?.marker, other[from]?.marker];
  return here === there || here === '' || there === '';
}

/** The number of equal words at the beginning. */
function sharedPrefixLength(one: readonly Word[], other: readonly Word[]): number {
  const differing = one.findIndex(({ stem }, at) => stem !== other[at]?.stem);
  return differing < 0 ? one.length : differing;
}

/** Prepositions of phrases that can stand anywhere in a sentence. */
const freePrepositions = wordSet(
  'in on for with without using about at of during after before when if while to as since per via',
);
const vague = new Set(['', 'of', 'in', 'on', 'for', 'at', 'about']);

function areMarkersCompatible(one: string, other: string): boolean {
  return one === other || (vague.has(one) && vague.has(other));
}

/** "In Python, how …" and "how … in Python"; "Japan's capital" and "the capital of Japan". */
function isMovedPhrase(moved: readonly Word[], other: readonly Word[], { from, length }: MovedRun): boolean {
  const [here, there] = [moved[from]?.marker ?? '', other[from]?.marker ?? ''];
  if (here === '' && there === '') return false;
  if (![here, there].every((marker) => marker === '' || freePrepositions.has(marker))) return false;
  if (here !== there && here !== '' && there !== '' && here !== 'of' && there !== 'of') return false;
  const [run, runThere] = [moved, other].map((words) => words.slice(from, from + length));
  if ([here, there].includes('of') && !haveSameOwner(run ?? [], runThere ?? [])) return false;
  return moved.every((word, at) => {
    if (at === from) return true;
    const marker = other[at]?.marker ?? '';
    const isInside = at > from && at < from + length;
    return (
      word.marker === marker || (isInside && ['', 'of'].includes(word.marker) && ['', 'of'].includes(marker))
    );
  });
}

/** Whether possessives have the same owner in both: "my wife's card" differs from "a card that my wife has". */
function haveSameOwner(one: readonly Word[], other: readonly Word[]): boolean {
  const [heads, headsThere] = [one, other].map(
    (run) => (run.find(({ marker }) => marker === 'of') ?? run.at(-1))?.headStems ?? [],
  );
  return heads?.some((stem) => headsThere?.includes(stem)) === true;
}

/** "The printer on floor 7" and "the floor 7 printer": a following phrase moves in front and takes over the role. */
function isMovedCompound(
  moved: readonly Word[],
  other: readonly Word[],
  { from, length }: MovedRun,
): boolean {
  const tail = from + length;
  const [modifier, head] = [moved[from], moved[tail]];
  const [there, headThere] = [other[from], other[tail]];
  if (modifier === undefined || head === undefined || there === undefined || headThere === undefined)
    return false;
  if (!freePrepositions.has(modifier.marker) || headThere.marker !== '') return false;
  const isOwned = modifier.marker === 'of' && there.marker === 'of';
  if (isOwned && !haveSameOwner(moved.slice(from, tail), other.slice(from, tail))) return false;
  if (!areMarkersCompatible(there.marker, head.marker) && there.marker !== 'of') return false;
  return moved.every((word, at) => at === from || at === tail || word.marker === (other[at]?.marker ?? ''));
}

/** "The level Crystal Cave" and "the Crystal Cave level": a name before or after its category. */
function isMovedLabel(
  moved: readonly Word[],
  other: readonly Word[],
  { from, length, jumped }: MovedRun,
): boolean {
  if (jumped.length !== 1) return false;
  const run = moved.slice(from, from + length);
  if (!run.every((word) => word.isName || /[\d_]/.test(word.raw))) return false;
  if (jumped.some((word) => word.isName)) return false;
  if (![...jumped, run[0]].some((word) => word?.follows === 'article')) return false;
  const seen = (word: Word, at: number) =>
    areMarkersCompatible(word.marker, other[at]?.marker ?? '') || word.marker === 'to';
  return moved.every(seen);
}
