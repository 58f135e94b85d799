import { stemOf, wordsOf } from './stems.ts';

/** The distinct words of a text as sorted hashes of their stems: it takes no more memory than the text. */
export type WordSet = Uint32Array;

/** `hashes` has those of words that were read before, since most words come again. */
export function wordSetOf(text: string, hashes: Map<string, number>): WordSet {
  const own = new Set<number>();
  for (const word of wordsOf(text)) {
    let hash = hashes.get(word);
    if (hash === undefined) {
      hash = hashOfStem(stemOf(word));
      hashes.set(word, hash);
    }
    own.add(hash);
  }
  return Uint32Array.from(own).sort();
}

export function hasWord(words: WordSet, hash: number): boolean {
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((words[middle] ?? 0) < hash) from = middle + 1;
    else to = middle;
  }
  return words[from] === hash;
}

/** FNV-1a. */
export function hashOfStem(stem: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < stem.length; at++) hash = Math.imul(hash ^ stem.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
