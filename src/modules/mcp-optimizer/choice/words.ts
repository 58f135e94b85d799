/** Splits an identifier into words: `getPullRequest`, `get_pull_request` and `get.pull-request` become `get Pull Request`. */
export function splitIntoWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The search terms of a text: stems of its words, without common words. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const word of splitIntoWords(text).toLowerCase().split(' '))
    if (word.length > 1 && !commonWords.has(word)) terms.push(stemOf(word));
  return terms;
}

/** A crude stem, equal for `searches`, `searching` and `searched`. */
function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  let stem = word.replace(/(?:ing|edly|ed|ies|es|s|ly)$/, (ending) => (ending === 'ies' ? 'y' : ''));
  if (stem.length < 3) stem = word;
  return stem.replace(/(.)\1$/, '$1').replace(/(?<=...)e$/, '');
}

/** Common words of English sentences. */
const commonWords: ReadonlySet<string> = new Set(
  (
    'a about all also an and any are as at be been but by can could did do does doing for from get give had has have he help her here ' +
    'him his how i if in into is it its just let like may me might more most my need no not now of on one or other our out over please ' +
    'she should so some such tell than that the their them then there these they this those to up us use used uses using very want ' +
    'wants was way we were what when where which while who whom why will with would yes you your'
  ).split(' '),
);
