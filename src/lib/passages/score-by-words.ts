import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryStemsOf, stemsOf } from './stems.ts';

/** Okapi BM25 over the stems of words, in turns of the event loop: a long text takes milliseconds in each. */
export async function scoreByWords(texts: readonly string[], query: string): Promise<readonly number[]> {
  const asked = queryStemsOf(query);
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
