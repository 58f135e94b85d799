import { termsOf } from './words.ts';

/** Term counts of one tool. */
export interface TermCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Terms in a name weigh more than in a description. */
const nameWeight = 3;

export function countTerms(name: string, rest: string): TermCounts {
  const counts = new Map<string, number>();
  let length = 0;
  const count = (terms: readonly string[], weight: number) => {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
    length += terms.length * weight;
  };
  count(termsOf(name), nameWeight);
  count(termsOf(rest), 1);
  return { counts, length };
}

interface Posting {
  readonly at: number;
  readonly weight: number;
}

/** BM25 over a list of tools, normalized so that 1 is the maximum for a request. */
export class Bm25Index {
  readonly #postings = new Map<string, Posting[]>();
  readonly #size: number;

  constructor(tools: readonly TermCounts[]) {
    this.#size = tools.length;
    const mean = tools.reduce((sum, { length }) => sum + length, 0) / Math.max(tools.length, 1) || 1;
    for (const [at, { counts, length }] of tools.entries())
      for (const [term, count] of counts) {
        const weight =
          (count * (saturation + 1)) /
          (count + saturation * (1 - lengthWeight + (lengthWeight * length) / mean));
        const known = this.#postings.get(term);
        if (known === undefined) this.#postings.set(term, [{ at, weight }]);
        else known.push({ at, weight });
      }
  }

  /** The score of each tool. Words that no tool has are ignored: they describe the topic, not the needed tool. */
  scores(text: string): Float32Array {
    const scores = new Float32Array(this.#size);
    let most = 0;
    for (const term of new Set(termsOf(text))) {
      const postings = this.#postings.get(term);
      if (postings === undefined) continue;
      const rarity = Math.log(1 + (this.#size - postings.length + 0.5) / (postings.length + 0.5));
      most += rarity * (saturation + 1);
      for (const { at, weight } of postings) scores[at] = (scores[at] ?? 0) + rarity * weight;
    }
    if (most > 0) for (let at = 0; at < scores.length; at++) scores[at] = (scores[at] ?? 0) / most;
    return scores;
  }
}

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthWeight = 0.75;
