import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';

/**
 * Whether two prompts have exactly the same words, function words included, but in an order that takes more than moving one phrase
 * or exchanging the sides of one conjunction: "SQL questions for my interview" and "interview questions for my SQL". People who reword a
 * prompt change function words, too, when they move more.
 */
export function isPermuted(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const [one, other] = [sequenceOf(old), sequenceOf(now)];
  if (one.length !== other.length || [...one].sort().join(' ') !== [...other].sort().join(' ')) return false;
  const begin = sharedLength(one, other);
  if (begin === one.length) return false;
  const end = one.length - sharedLength(one.toReversed(), other.toReversed());
  for (let from = begin; from >= Math.max(0, begin - leadWordsMax); from--)
    if (isOneMove(one.slice(from, end), other.slice(from, end))) return false;
  return !areSidesSwapped(one, other, { begin, end });
}

/** Words that two phrases may begin with in common: "in the summer in the mountains". */
const leadWordsMax = 2;

/** The words without those that stand in several places of the same question: "how is it made", "how it is made". "An" is "a" before a vowel. */
function sequenceOf({ words }: ParsedPrompt): readonly string[] {
  const sequence = words.map(({ raw }) => raw.toLowerCase()).filter((word) => !auxiliaries.has(word));
  return sequence.map((word) => (word === 'an' ? 'a' : word));
}

const auxiliaries = wordSet(
  'am is are was were do does did have has had will would shall should can could may might must',
);

/** The length of the equal beginning. */
function sharedLength(one: readonly string[], other: readonly string[]): number {
  const differing = one.findIndex((word, at) => word !== other[at]);
  return differing < 0 ? one.length : differing;
}

/** Whether one is the other with two adjacent parts exchanged. A preposition doesn't move without its noun; a particle does: "turn it off". */
function isOneMove(one: readonly string[], other: readonly string[]): boolean {
  return one.some((_, at) => {
    const [first, second] = [one.slice(0, at), one.slice(at)];
    if (first.length === 0 || ![...second, ...first].every((word, index) => word === other[index]))
      return false;
    return ![first, second].some((part) => part.every((word) => bound.has(word)));
  });
}

/** Function words that stand before their noun. */
const bound = wordSet(
  'a an the my your our his her their its this that of for to from by with at as than into and or',
);

/** Whether the sides of one conjunction changed places as a whole; they may begin and end with the same words. */
function areSidesSwapped(
  one: readonly string[],
  other: readonly string[],
  changed: { readonly begin: number; readonly end: number },
): boolean {
  return one.some((conjunction, at) => {
    if (!conjunctions.has(conjunction)) return false;
    for (let from = Math.min(changed.begin, at - 1); from >= 0; from--) {
      if (one[at + 1] !== other[from]) continue;
      for (let to = Math.max(changed.end, at + 2); to <= one.length; to++) {
        const swapped = [...one.slice(at + 1, to), conjunction, ...one.slice(from, at)];
        if (swapped.every((word, index) => word === other[from + index])) return true;
      }
    }
    return false;
  });
}

const conjunctions = new Set(['and', 'or', 'vs', 'versus', '&']);
