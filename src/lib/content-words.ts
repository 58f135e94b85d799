/** Further words add no information. */
const wordsMax = 200;

/** Stop words, mostly English. */
const stopWords = new Set(
  (
    'a an and are as at be but by can could do does for from get had has have how i if in into is it its just ' +
    'let make may me my need not now of on one or our please so some than that the their them then there this to ' +
    'up us use using want was we what when where which who why will with would you your der die das und ist ein ' +
    'eine zu mit für nicht ich'
  ).split(' '),
);

/** The distinct words that say what a text is about, stemmed. */
export function contentWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const stems = words.filter((word) => !stopWords.has(word)).map(stem);
  return [...new Set(stems)].slice(0, wordsMax);
}

/** Those of the content words in a text that are among `wanted`, however long the text is. */
export function sharedContentWords(text: string, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const shared = new Set<string>();
  // Stemming all words would take most of the time.
  const starts = new Set([...wanted].map((word) => word.slice(0, 2)));
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []) {
    if (!starts.has(word.slice(0, 2))) continue;
    const stemmed = stem(word);
    if (wanted.has(stemmed)) shared.add(stemmed);
  }
  return shared;
}

function stem(word: string): string {
  if (word.length < 5) return word;
  return word.replace(/(?:ies|ing|ed|es|s|ly)$/, '');
}

/** Words that don't change what a sentence asks for. */
const fillerWords = new Set(
  'a again an and but here just now please so that the then there this too well'.split(' '),
);

/** All words that can change the meaning of a text, in order, since their order matters. */
export function significantWords(text: string): readonly string[] {
  const words =
    text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !fillerWords.has(word)).slice(0, wordsMax);
}

/** Whether two texts have the same words in a different order. */
export function isReordered(one: string, other: string): boolean {
  const [first, second] = [significantWords(one), significantWords(other)];
  return first.join(' ') !== second.join(' ') && first.toSorted().join(' ') === second.toSorted().join(' ');
}
