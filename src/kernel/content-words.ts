/** More than these say no more. */
const wordsMax = 200;

/** Words that are in every text, of English mostly. */
const stopWords = new Set(
  (
    'a an and are as at be but by can could do does for from get had has have how i if in into is it its just ' +
    'let make may me my need not now of on one or our please so some than that the their them then there this to ' +
    'up us use using want was we what when where which who why will with would you your der die das und ist ein ' +
    'eine zu mit für nicht ich'
  ).split(' '),
);

/** The words of a text that say what it is about, each once, without their endings. */
export function contentWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const stems = words.filter((word) => !stopWords.has(word)).map(stem);
  return [...new Set(stems)].slice(0, wordsMax);
}

function stem(word: string): string {
  if (word.length < 5) return word;
  return word.replace(/(?:ies|ing|ed|es|s|ly)$/, '');
}

/** Words that change nothing about what a sentence asks for. */
const fillerWords = new Set(
  'a again an and but here just now please so that the then there this too well'.split(' '),
);

/** All words of a text that can change what it says, in their order: who turns two of them around says something else. */
export function significantWords(text: string): readonly string[] {
  const words =
    text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !fillerWords.has(word)).slice(0, wordsMax);
}

/** Whether two texts have the same words, in another order. */
export function isReordered(one: string, other: string): boolean {
  const [first, second] = [significantWords(one), significantWords(other)];
  return first.join(' ') !== second.join(' ') && first.toSorted().join(' ') === second.toSorted().join(' ');
}
