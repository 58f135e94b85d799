import { cues, maxWordsIn, scanText, slotCount, type TextScan } from './scan-text.ts';

/** A passage of a conversation to score. */
export interface Passage {
  readonly text: string;
  /** Whether it answers a question. */
  readonly followsQuestion: boolean;
}

/**
 * Scores how likely each passage is to be needed later. Statements about the speaker, times and names in rare, new words
 * score high; questions, greetings and praise score low.
 */
export function scoreSalience(
  passages: readonly Passage[],
  weighed: Weights = defaultWeights,
): readonly number[] {
  return extractTraits(passages).map((traits) => 1 / (1 + Math.exp(-logOddsOf(traits, weighed))));
}

/** The features of each passage, in order. */
export function extractTraits(passages: readonly Passage[]): readonly Traits[] {
  const words = passages.reduce((sum, { text }) => sum + maxWordsIn(text.length), 0);
  const slots = new Int32Array(words);
  let next = 0;
  const all = passages.map(({ text }) => {
    const scan = scanText(text, slots, next);
    const own = slots.subarray(next, next + scan.count);
    next += scan.count;
    return { scan, own };
  });
  const rarity = createRarityMeasure(all.map(({ own }) => own));
  const known = new Uint8Array(slotCount);
  return all.map(({ scan, own }, at) => {
    const fresh = freshShareOf(own, known);
    const { text = '', followsQuestion = false } = passages[at] ?? {};
    return createTraits(scan, { text, followsQuestion, fresh, rare: rarity(own) });
  });
}

interface PassageContext extends Passage {
  /** The share of words that are new in the conversation. */
  readonly fresh: number;
  /** The average rarity of its words. */
  readonly rare: number;
}

function createTraits(scan: TextScan, { text, followsQuestion, fresh, rare }: PassageContext): Traits {
  const has = (tell: number) => ((scan.cues & tell) === 0 ? 0 : 1);
  return {
    length: Math.log(1 + scan.count),
    self: has(cues.self),
    time: has(cues.time),
    decision: has(cues.decision),
    trouble: has(cues.trouble),
    name: Math.min(scan.names, 3),
    mark: Math.min(scan.marks, 3),
    fresh,
    rare,
    answers: followsQuestion ? 1 : 0,
    asks: text.endsWith('?') ? 1 : 0,
    praise: scan.opensWithPraise ? 1 : 0,
    address: has(cues.address),
  };
}

function logOddsOf(traits: Traits, weighed: Weights): number {
  return (
    weighed.base +
    weighed.length * traits.length +
    weighed.self * traits.self +
    weighed.time * traits.time +
    weighed.decision * traits.decision +
    weighed.trouble * traits.trouble +
    weighed.name * traits.name +
    weighed.mark * traits.mark +
    weighed.fresh * traits.fresh +
    weighed.rare * traits.rare +
    weighed.answers * traits.answers +
    weighed.asks * traits.asks +
    weighed.praise * traits.praise +
    weighed.address * traits.address
  );
}

/** Fitted by regression over human conversations and rounded; those of decisions and troubles are set by hand. */
const defaultWeights = {
  base: -6,
  length: 0.9,
  self: 0.7,
  time: 0.7,
  decision: 0.3,
  trouble: 0.6,
  name: 0.35,
  mark: 0.2,
  fresh: 1.2,
  rare: 0.5,
  answers: 0.8,
  asks: -0.4,
  praise: -0.3,
  address: -0.3,
} as const;

export type Weights = Readonly<Record<keyof typeof defaultWeights, number>>;
export type Traits = Omit<Weights, 'base'>;

function createRarityMeasure(all: readonly Int32Array[]): (own: Int32Array) => number {
  const found = new Uint16Array(slotCount);
  const latest = new Int32Array(slotCount).fill(-1);
  for (let at = 0; at < all.length; at++) {
    const own = all[at] ?? new Int32Array();
    for (let word = 0; word < own.length; word++) {
      const slot = own[word] ?? 0;
      if (latest[slot] === at) continue;
      latest[slot] = at;
      found[slot] = Math.min((found[slot] ?? 0) + 1, 65_535);
    }
  }
  const logs = Float64Array.from({ length: 1024 }, (_, count) => Math.log(all.length / Math.max(1, count)));
  const log = (count: number) => (count < logs.length ? (logs[count] ?? 0) : Math.log(all.length / count));
  return (own) => {
    let sum = 0;
    for (let word = 0; word < own.length; word++) sum += log(found[own[word] ?? 0] ?? 1);
    return own.length === 0 ? 0 : sum / own.length;
  };
}

function freshShareOf(own: Int32Array, known: Uint8Array): number {
  let fresh = 0;
  for (let word = 0; word < own.length; word++) {
    const slot = own[word] ?? 0;
    if (known[slot] === 0) fresh++;
    known[slot] = 1;
  }
  return own.length === 0 ? 0 : fresh / own.length;
}
