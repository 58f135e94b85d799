/**
 * The probability that an answer is wrong for a prompt, by the judge and by recorded evidence, and its maximum.
 * docs/how-it-works/semantic-cache.md has the measurements.
 */

/** Results of shadow calls for one entry, or for all entries of a scope. */
export interface Evidence {
  /** The sum of the judge's error probabilities of the compared answers. */
  readonly expected: number;
  /** The number of wrong answers, each weighted less than one if answers to the same prompt vary anyway. */
  readonly wrong: number;
}

export const noEvidence: Evidence = { expected: 0, wrong: 0 };

/** How similar the models find a pair of prompts, and the score penalty of the pair. */
export interface PairSimilarity {
  readonly logit: number;
  readonly cosine: number;
  readonly doubt: number;
}

/** At equal judge scores, pairs with a lower cosine are wrong more often, increasingly so with distance. */
const distancePenalties = [
  { cosine: 0.9, slope: 10 },
  { cosine: 0.86, slope: 20 },
] as const;

/** Higher cosines add no confidence: prompts crafted to look alike have the highest. */
const cosineCap = 0.95;

/** The judge's logit and the cosine in their fitted proportion, less the penalties. */
export function scoreOf({ logit, cosine, doubt }: PairSimilarity): number {
  const apart = distancePenalties.reduce(
    (sum, { cosine: least, slope }) => sum + slope * Math.max(0, least - cosine),
    0,
  );
  return logit + 10 * Math.min(cosine, cosineCap) - apart - doubt;
}

/**
 * The share of wrong answers at a score, and the score difference (`fold`) that divides it by e. It lies between the measurements
 * for questions of strangers, with more wrong hits, and for prompts of apps, with hardly any.
 */
const calibration = { score: 10.05, wrong: 0.058, fold: 1.36 } as const;

/** For prompts that differ only in politeness, capitals and punctuation. */
export const equalPromptErrorProbability = 0.001;

export function errorProbabilityOf(score: number): number {
  return Math.min(1, calibration.wrong * Math.exp((calibration.score - score) / calibration.fold));
}

/** How much the worst served answer may exceed the average error; lower for a low error limit. */
const marginalErrorRatio = { least: 2, most: 2.5, from: 0.02 } as const;

/** The maximum error probability of an answer that keeps the share of wrong answers below `error`. */
export function maxErrorProbability(error: number): number {
  const { least, most, from } = marginalErrorRatio;
  return error * (least + (most - least) * Math.min(1, error / from));
}

export function isServable(wrong: number, error: number): boolean {
  return wrong <= maxErrorProbability(error);
}

/** The prior's weight for a scope, and for one of its entries. */
const weight = { scope: 0.5, entry: 0.1 } as const;

/** The minimum correction factors: good evidence doesn't make every score acceptable. */
const correctionMin = { scope: 0.3, entry: 0.15 } as const;

/** Corrects the judge's probability by the evidence: each factor is the posterior mean with a gamma prior of mean 1. */
export function correctErrorProbability(
  judged: number,
  seen: { readonly scope: Evidence; readonly entry: Evidence },
): number {
  const scope = (weight.scope + seen.scope.wrong) / (weight.scope + seen.scope.expected);
  const entry = (weight.entry + seen.entry.wrong) / (weight.entry + seen.entry.expected);
  return Math.min(
    1,
    judged * Math.min(50, Math.max(correctionMin.scope, scope)) * Math.max(correctionMin.entry, entry),
  );
}

/** The weight of a disagreement, given how often answers to the same prompt disagree. */
export function disagreementWeight(twins: { readonly asked: number; readonly differed: number }): number {
  return 1 - (twins.differed + 0.1) / (twins.asked + 2);
}
