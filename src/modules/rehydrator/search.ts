import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashOfStem, hasWord, queryStemsOf, type WordSet } from '../../module-api.ts';
import { isEveryday } from './everyday-words.ts';
import { limits } from './limits.ts';
import type { IndexedPassage } from './passages.ts';
import type { Reference } from './references.ts';

/** What the text of a reference has in common with the passages. */
export interface Match {
  readonly reference: Reference;
  /** The share of the reference's words, by weight, that the best passage has. */
  readonly coverage: number;
  /** The weight of these words: rare words weigh more. */
  readonly weight: number;
  /** Whether an identifier of the reference is in the passages, and not in the request. */
  readonly hasIdentifier: boolean;
  /** The number of topical words that the best passage and its neighbors have. */
  readonly topicalWords: number;
  /** The number of passages that have the rarest of these words. */
  readonly leastPassages: number;
  readonly knowsNames: boolean;
  readonly missesNames: boolean;
  /** Passages that are not in the request, with their weights, the best first. */
  readonly found: readonly PassageMatch[];
}

export interface PassageMatch {
  readonly at: number;
  readonly weight: number;
}

/** The share of a word's weight that counts if it is in the next passage, or in the one after. */
const neighborShares = [0.6, 0.3] as const;
/** A passage is restored if it has this share of the weight of the best one. */
const foundShareMin = 0.5;
/** Added to the passages when the rarity of a word is estimated: few passages say little about it. */
const assumedPassages = 200;
/** The weight of words that texts about anything have, compared with others. */
const everydayShare = 0.3;

const noWords: WordSet = new Uint32Array();

interface QueryWord {
  readonly stem: string;
  readonly hash: number;
}

/** Finds passages for references, among those that are not in the request. */
export class PassageSearch {
  readonly #passages: readonly IndexedPassage[];
  readonly #isSent: (text: string) => boolean;
  #searched = 0;

  constructor(passages: readonly IndexedPassage[], isSent: (text: string) => boolean) {
    this.#passages = passages;
    this.#isSent = isSent;
  }

  async match(reference: Reference): Promise<Match> {
    const words = queryStemsOf(reference.text)
      .slice(0, limits.wordsMax)
      .map((stem): QueryWord => ({ stem, hash: hashOfStem(stem) }));
    const masks = await this.#masksOf(words);
    const counts = countBits(masks, words.length);
    const weights = words.map(({ stem }, bit) => {
      const rarity = Math.log((masks.length + assumedPassages) / ((counts[bit] ?? 0) + 0.5));
      return isEveryday(stem) ? rarity * everydayShare : rarity;
    });
    const withIdentifiers = this.#findIdentifiers(reference);
    const found = await this.#rank(masks, weights, withIdentifiers);
    const best = found[0];
    const total = Math.max(1e-9, sum(weights));
    const topicalBits = words.reduce(
      (bits, { stem }, bit) => (isEveryday(stem) ? bits : bits | (1 << bit)),
      0,
    );
    const bits =
      best === undefined
        ? 0
        : windowOf(masks, best.at)
            .slice(0, 2)
            .reduce((all, mask) => all | mask);
    const names = reference.names.map(queryStemsOf).filter((stems) => stems.length > 0);
    const isKnown = (stems: readonly string[]) =>
      words.some(({ stem }, bit) => stems.includes(stem) && (counts[bit] ?? 0) > 0);
    return {
      reference,
      coverage: Math.min(1, (best?.weight ?? 0) / total),
      weight: best?.weight ?? 0,
      hasIdentifier: withIdentifiers.size > 0,
      topicalWords: bitCount(bits & topicalBits),
      leastPassages: Math.min(...counts.filter((_, bit) => ((bits & topicalBits) >>> bit) & 1)),
      knowsNames: names.some(isKnown),
      missesNames: names.some((stems) => !isKnown(stems)),
      found,
    };
  }

  /** For each passage, a bit for each word that it has. */
  async #masksOf(words: readonly QueryWord[]): Promise<Int32Array> {
    const masks = new Int32Array(this.#passages.length);
    for (let at = 0; at < masks.length; at++) {
      if (this.#isPauseDue()) await nextTurn();
      const own = this.#passages[at]?.words ?? noWords;
      let mask = 0;
      for (let bit = 0; bit < words.length; bit++) if (hasWord(own, words[bit]?.hash ?? 0)) mask |= 1 << bit;
      masks[at] = mask;
    }
    return masks;
  }

  /** Whether others should have a turn of the event loop. */
  #isPauseDue(): boolean {
    return ++this.#searched % limits.searchedAtOnce === 0;
  }

  /** A passage with an identifier has the weight of two words that no other passage has. */
  async #rank(
    masks: Int32Array,
    weights: readonly number[],
    withIdentifiers: ReadonlySet<number>,
  ): Promise<readonly PassageMatch[]> {
    const identifierWeight = 2 * Math.log(masks.length + assumedPassages);
    const weigh = (mask: number) => {
      let sum = 0;
      for (let bit = 0, left = mask; left !== 0; bit++, left >>>= 1)
        if ((left & 1) !== 0) sum += weights[bit] ?? 0;
      return sum;
    };
    const ranked: PassageMatch[] = [];
    for (const at of masks.keys()) {
      if (this.#isPauseDue()) await nextTurn();
      const [own, next, afterNext] = windowOf(masks, at);
      const weight =
        weigh(own) +
        neighborShares[0] * weigh(next) +
        neighborShares[1] * weigh(afterNext) +
        (withIdentifiers.has(at) ? identifierWeight : 0);
      if (weight > 0) ranked.push({ at, weight });
    }
    ranked.sort((one, other) => other.weight - one.weight);
    const found: PassageMatch[] = [];
    let compared = limits.comparedPassagesMax;
    for (const one of ranked) {
      if (one.weight < (found[0]?.weight ?? 0) * foundShareMin || compared-- === 0) break;
      if (!this.#isSent(this.#passages[one.at]?.text ?? '')) found.push(one);
    }
    return found;
  }

  /** The positions of passages with an identifier that isn't in the request. */
  #findIdentifiers({ identifiers }: Reference): ReadonlySet<number> {
    const missing = identifiers.filter((identifier) => !this.#isSent(identifier));
    if (missing.length === 0) return new Set();
    const wanted = missing.map((identifier) => ({
      identifier,
      hashes: queryStemsOf(identifier).map(hashOfStem),
    }));
    const has = ({ text, words }: IndexedPassage) =>
      wanted.some(
        ({ identifier, hashes }) => hashes.every((hash) => hasWord(words, hash)) && text.includes(identifier),
      );
    return new Set(this.#passages.flatMap((passage, at) => (has(passage) ? [at] : [])));
  }
}

/** The words of a passage, further ones of the passages beside it, and further ones of those beside these. */
function windowOf(masks: Int32Array, at: number): readonly [number, number, number] {
  const own = masks[at] ?? 0;
  const next = ((masks[at - 1] ?? 0) | (masks[at + 1] ?? 0)) & ~own;
  const afterNext = ((masks[at - 2] ?? 0) | (masks[at + 2] ?? 0)) & ~own & ~next;
  return [own, next, afterNext];
}

/** In how many masks each bit is set. */
function countBits(masks: Int32Array, bits: number): readonly number[] {
  const counts = new Array<number>(bits).fill(0);
  for (const mask of masks)
    for (let bit = 0; bit < bits; bit++) counts[bit] = (counts[bit] ?? 0) + ((mask >>> bit) & 1);
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
