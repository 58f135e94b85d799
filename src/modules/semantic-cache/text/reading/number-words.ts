const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ordinals =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');
const scales: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['k', 1000],
  ['lakh', 100_000],
  ['million', 1_000_000],
  ['m', 1_000_000],
  ['crore', 10_000_000],
  ['billion', 1_000_000_000],
  ['bn', 1_000_000_000],
  ['trillion', 1_000_000_000_000],
]);
const fixed: ReadonlyMap<string, number> = new Map([
  ['half', 0.5],
  ['dozen', 12],
  ['double', 2],
  ['twice', 2],
  ['triple', 3],
  ['thrice', 3],
  ['quarter', 0.25],
  ...small.map((word, at) => [word, at] as const),
  ...tens.map((word, at) => [word, (at + 2) * 10] as const),
]);
/** Roman numerals that aren't words, as in World War II and Henry VIII. */
const roman: ReadonlyMap<string, number> = new Map(
  'II III IV VI VII VIII IX XI XII XIII XIV XV XVI'
    .split(' ')
    .map((text, at) => [text, [2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16][at] ?? 0]),
);

/** The factor by which a word multiplies the number before it. */
export function scaleOf(word: string): number | undefined {
  return scales.get(word.toLowerCase());
}

/** The numeric value of a word; excludes "one" and "first", which are ambiguous. */
export function numberOf(word: string): number | undefined {
  const lower = word.toLowerCase();
  if (lower === 'one' || lower === 'first') return undefined;
  return fixed.get(lower) ?? ordinalOf(lower) ?? roman.get(word);
}

function ordinalOf(word: string): number | undefined {
  const at = ordinals.indexOf(word);
  return at > 1 ? at : undefined;
}
