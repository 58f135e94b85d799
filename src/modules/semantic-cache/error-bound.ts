/**
 * How likely an answer is wrong for a prompt, by the judge and by what was learnt since, and how likely it may be.
 * docs/semantic-cache.md has the measurements behind the numbers.
 */

/** What shadow calls have shown of one entry, or of all entries of a scope. */
export interface Evidence {
  /** The chances of being wrong that the judge gave to those that were compared, together. */
  readonly expected: number;
  /** Those that turned out to be wrong; less than one each where the same question is answered differently anyway. */
  readonly wrong: number;
}

export const noEvidence: Evidence = { expected: 0, wrong: 0 };

/** A pair of prompts as the models see it, and how much more than usual has to speak for it. */
export interface PairSimilarity {
  readonly logit: number;
  readonly cosine: number;
  readonly doubt: number;
}

/** Of two pairs that the judge finds equally good, the one that is farther apart is wrong more often, and far apart far more often. */
const distancePenalties = [
  { cosine: 0.9, slope: 10 },
  { cosine: 0.86, slope: 20 },
] as const;

/** Nearer than this says nothing more: what is made to look alike lies nearest. */
const cosineCap = 0.95;

/** The judge's score, its logit with the cosine in the proportion that it was fitted with, less what measured worse than it says. */
export function scoreOf({ logit, cosine, doubt }: PairSimilarity): number {
  const apart = distancePenalties.reduce(
    (sum, { cosine: least, slope }) => sum + slope * Math.max(0, least - cosine),
    0,
  );
  return logit + 10 * Math.min(cosine, cosineCap) - apart - doubt;
}

/**
 * At this score so many are wrong, and e times fewer with each `fold` more: between what strangers ask strangers, of whose hits more
 * are wrong, and what apps send, of whose hits hardly any are.
 */
const calibration = { score: 10.05, wrong: 0.058, fold: 1.36 } as const;

/** Prompts that are the same but for manners, capitals and marks. */
export const equalPromptErrorProbability = 0.001;

export function errorProbabilityOf(score: number): number {
  return Math.min(1, calibration.wrong * Math.exp((calibration.score - score) / calibration.fold));
}

/** How much worse than all together the last may be that is served: less where less may be wrong, as little is much better then. */
const marginalErrorRatio = { least: 2, most: 3.1, from: 0.02 } as const;

/** What an answer's chance may be, so that of all that are served the share that is wrong stays under `error`. */
export function maxErrorProbability(error: number): number {
  const { least, most, from } = marginalErrorRatio;
  return error * (least + (most - least) * Math.min(1, error / from));
}

export function isServable(wrong: number, error: number): boolean {
  return wrong <= maxErrorProbability(error);
}

/** How surely the judge's chances are right for a scope, and how surely for one of its entries. */
const weight = { scope: 0.5, entry: 0.1 } as const;

/** However well it went, an answer isn't served at any score. */
const correctionMin = { scope: 0.3, entry: 0.15 } as const;

/** The judge's chance, corrected by what was seen: a gamma prior of mean 1 on each factor, and its mean after the evidence. */
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

/** What counts of an answer that disagrees, where answers to one and the same question disagree this often. */
export function disagreementWeight(twins: { readonly asked: number; readonly differed: number }): number {
  return 1 - (twins.differed + 0.1) / (twins.asked + 2);
}
