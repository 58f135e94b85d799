import type { Match } from './search.ts';

/**
 * How likely a sentence refers to the passages found for it, from 0 to 1. Chosen on half of the conversations of the evaluation; one that says or
 * shows that it refers to something needs less in common with a passage than any other question.
 */
export function scoreMatch(match: Match): number {
  const { reference, coverage, weight, hasIdentifier, knowsNames, missesNames } = match;
  if (match.found.length === 0 || !(hasIdentifier || hasEnoughWords(match))) return 0;
  const isClear = reference.isExplicit || hasIdentifier;
  let odds = weights.base + weights.coverage * coverage + weights.weight * Math.log(1 + weight);
  if (isClear) odds += weights.clear;
  if (reference.asksForOwnPast) odds += weights.ownPast;
  if (reference.asksForPast || reference.asksForOwn) odds += weights.pastOrOwn;
  if (knowsNames) odds += weights.knownName;
  if (missesNames) odds += weights.unknownName;
  if (!isClear) {
    if (reference.isDeictic) odds += weights.deictic;
    if (reference.addressesReader) odds += weights.addressed;
    if (reference.isRequest) odds += weights.request;
  }
  return 1 / (1 + Math.exp(-odds));
}

/** One word in common says nothing, unless it is rare and the question is about the speaker: "What is my dog's name?". */
function hasEnoughWords({ reference, topicalWords, leastPassages }: Match): boolean {
  return topicalWords > 1 || (topicalWords === 1 && reference.asksForOwn && leastPassages <= rarePassagesMax);
}

const rarePassagesMax = 2;

/** In log odds. */
const weights = {
  base: -7,
  coverage: 5,
  weight: 1.2,
  clear: 3,
  ownPast: 2,
  pastOrOwn: 1,
  knownName: 2,
  unknownName: -2,
  deictic: -1,
  addressed: -1,
  request: -2,
} as const;
