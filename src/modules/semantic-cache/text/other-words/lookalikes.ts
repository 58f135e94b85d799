import { derivation, isPrefix } from './affixes.ts';

/** Shorter words are often similar by chance. */
const lettersLeast = 7;
/** Words that share this part of their beginning are related: differentiate and difference. */
const rootShareMin = 0.75;

/**
 * Whether two words look alike but are different, and neither is a typo or form of the other: stalactite and stalagmite,
 * latitude and longitude.
 */
export function areLookalikes(one: string, other: string): boolean {
  if (!/^[a-z]+$/.test(one) || !/^[a-z]+$/.test(other)) return false;
  const [first, second] = [collapseDoubles(one), collapseDoubles(other)];
  const [short, long] = [first.length, second.length].sort((some, more) => some - more);
  if (short === undefined || long === undefined || short < lettersLeast) return false;
  const begin = sharedPrefixLength(first, second);
  const end = sharedPrefixLength([...first.slice(begin)].reverse(), [...second.slice(begin)].reverse());
  if (begin === 0 || end === 0 || begin >= rootShareMin * short) return false;
  const [middle, there] = [first.slice(begin, first.length - end), second.slice(begin, second.length - end)];
  if (isTypo(middle, there)) return false;
  const isOfOneRoot = begin >= 4 && !isPrefix(first.slice(0, begin)) && begin + end >= 0.6 * long;
  return isOfOneRoot || (end >= 4 && !derivation.test(first.slice(-end)));
}

/** One letter added, removed or replaced, or two letters swapped. */
function isTypo(one: string, other: string): boolean {
  if (Math.max(one.length, other.length) <= 1) return true;
  return one.length === 2 && other.length === 2 && one[0] === other[1] && one[1] === other[0];
}

function sharedPrefixLength(one: ArrayLike<string>, other: ArrayLike<string>): number {
  let shared = 0;
  while (shared < Math.min(one.length, other.length) && one[shared] === other[shared]) shared++;
  return shared;
}

export function collapseDoubles(word: string): string {
  return word.replaceAll(/(.)\1/g, '$1');
}
