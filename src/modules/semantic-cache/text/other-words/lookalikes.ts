import { derivation, isPrefix } from './affixes.ts';

/** Shorter words are alike by chance, or a slip in them is most of the word. */
const lettersLeast = 7;
/** Words that share more of their beginning are forms of one: differentiate and difference. */
const root = 0.75;

/**
 * Whether two words look alike and are two all the same, and none is a slip or another form of the other: stalactite and
 * stalagmite, latitude and longitude.
 */
export function areLookalikes(one: string, other: string): boolean {
  if (!/^[a-z]+$/.test(one) || !/^[a-z]+$/.test(other)) return false;
  const [first, second] = [collapseDoubles(one), collapseDoubles(other)];
  const [short, long] = [first.length, second.length].sort((some, more) => some - more);
  if (short === undefined || long === undefined || short < lettersLeast) return false;
  const begin = sharedPrefixLength(first, second);
  const end = sharedPrefixLength([...first.slice(begin)].reverse(), [...second.slice(begin)].reverse());
  if (begin === 0 || end === 0 || begin >= root * short) return false;
  const [middle, there] = [first.slice(begin, first.length - end), second.slice(begin, second.length - end)];
  if (isTypo(middle, there)) return false;
  const isOfOneRoot = begin >= 4 && !isPrefix(first.slice(0, begin)) && begin + end >= 0.6 * long;
  return isOfOneRoot || (end >= 4 && !derivation.test(first.slice(-end)));
}

/** A letter too many, too few or another, or two that changed places. */
function isTypo(one: string, other: string): boolean {
  if (Math.max(one.length, other.length) <= 1) return true;
  return one.length === 2 && other.length === 2 && one[0] === other[1] && one[1] === other[0];
}

function sharedPrefixLength(one: ArrayLike<string>, other: ArrayLike<string>): number {
  let shared = 0;
  while (shared < Math.min(one.length, other.length) && one[shared] === other[shared]) shared++;
  return shared;
}

function collapseDoubles(word: string): string {
  return word.replaceAll(/(.)\1/g, '$1');
}
