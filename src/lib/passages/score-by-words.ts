import { setImmediate as nextTurn } from 'node:timers/promises';

/** Okapi BM25 over the stems of words, in turns of the event loop: a long text takes milliseconds in each. */
export async function scoreByWords(texts: readonly string[], query: string): Promise<readonly number[]> {
  const asked = [...new Set(stemsOf(query))].filter((stem) => !commonStems.has(stem));
  const indexes = new Map(asked.map((stem, index) => [stem, index]));
  const counts = texts.map(() => new Uint16Array(asked.length));
  const lengths = new Float64Array(texts.length);
  let readChars = 0;
  for (const [at, text] of texts.entries()) {
    readChars += text.length;
    if (readChars > searchedAtOnceChars) {
      await nextTurn();
      readChars = 0;
    }
    const stems = stemsOf(text);
    lengths[at] = stems.length;
    for (const stem of stems) {
      const index = indexes.get(stem);
      const own = counts[at];
      if (index !== undefined && own !== undefined) own[index] = (own[index] ?? 0) + 1;
    }
  }
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length);
  const rarities = asked.map((_, index) => {
    const having = counts.filter((own) => (own[index] ?? 0) > 0).length;
    return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
  });
  return counts.map((own, at) => {
    const length = (lengths[at] ?? 0) / average;
    return own.reduce(
      (score, count, index) =>
        score + ((rarities[index] ?? 0) * count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length)),
      0,
    );
  });
}

/** Texts of this size together are searched in one turn of the event loop. */
const searchedAtOnceChars = 64_000;

const commonStems: ReadonlySet<string> = new Set(
  'a an the of to in on at for and or is are was were be been do does did has have had what when where who which how why with by from that this it its his her their she he they as not would will could should can about into than then there so if any some you your i my we our'.split(
    ' ',
  ),
);

function stemsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? []).map(stemOf);
}

/** Strips English endings; other languages are hardly affected. */
function stemOf(word: string): string {
  let stem = word.replace(/'s?$/, '');
  if (stem.length > 4) stem = stem.replace(/ies$/, 'y').replace(/(ing|edly|ed|es|s|ly)$/, '');
  if (stem.length > 4 && stem.at(-1) === stem.at(-2)) stem = stem.slice(0, -1);
  return stem.length > 3 ? stem.replace(/e$/, '') : stem;
}
