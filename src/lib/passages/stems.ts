const commonStems: ReadonlySet<string> = new Set(
  'a an the of to in on at for and or is are was were be been do does did has have had what when where who which how why with by from that this it its his her their she he they as not would will could should can about into than then there so if any some you your i my we our'.split(
    ' ',
  ),
);

/** The words of a text in lower case. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? [];
}

/** The stems of all words of a text, in order. */
export function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map(stemOf);
}

/** The distinct stems of a query, without words that every text has. */
export function queryStemsOf(query: string): readonly string[] {
  return [...new Set(stemsOf(query))].filter((stem) => !commonStems.has(stem));
}

/** Strips English endings; other languages are hardly affected. */
export function stemOf(word: string): string {
  let stem = word.replace(/'s?$/, '');
  if (stem.length > 4) stem = stem.replace(/ies$/, 'y').replace(/(ing|edly|ed|es|s|ly)$/, '');
  if (stem.length > 4 && stem.at(-1) === stem.at(-2)) stem = stem.slice(0, -1);
  return stem.length > 3 ? stem.replace(/e$/, '') : stem;
}
