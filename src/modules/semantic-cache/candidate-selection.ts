import { bypassReasonOf } from './bypass.ts';
import {
  equalPromptErrorProbability,
  errorProbabilityOf,
  type PairSimilarity,
  scoreOf,
} from './error-bound.ts';
import { differenceOf } from './text/difference.ts';
import { doubtOf } from './text/doubt.ts';
import type { ParsedPromptCache } from './text/parsed-prompt-cache.ts';
import type { ParsedPrompt } from './text/reading/prompt.ts';
import { findVeto } from './text/vetoes.ts';

/** A longer text exceeds the token limit or isn't natural language. */
const charactersMax = 1000;

/** A prompt that may be matched by meaning, or the reason why not. */
export type PromptEligibility =
  | { readonly prompt: ParsedPrompt; readonly bypass?: undefined }
  | { readonly prompt?: undefined; readonly bypass: string };

export function checkPrompt(
  text: string,
  options: { readonly current: 'bypass' | 'allow' },
  prompts: ParsedPromptCache,
): PromptEligibility {
  if (text.length > charactersMax) return { bypass: 'long' };
  const parsedPrompt = prompts.parse(text);
  const bypass = bypassReasonOf(parsedPrompt, options);
  return bypass === undefined ? { prompt: parsedPrompt } : { bypass };
}

/** An earlier prompt similar to the current one. */
export interface CandidatePrompt {
  readonly text: string;
  readonly cosine: number;
}

export interface AcceptedCandidate<One extends CandidatePrompt> {
  readonly candidate: One;
  readonly doubt: number;
  /** The error probability if no judgment is needed. */
  readonly wrong?: number;
}

/** The first candidate without a veto; candidates come nearest first. */
export function findNearest<One extends CandidatePrompt>(
  now: ParsedPrompt,
  candidates: readonly One[],
  prompts: ParsedPromptCache,
): AcceptedCandidate<One> | undefined {
  for (const candidate of candidates) {
    const old = prompts.parse(candidate.text);
    const difference = differenceOf(old, now);
    if (findVeto(old, now, difference) !== undefined) continue;
    const doubt = doubtOf(old, now, difference);
    return { candidate, doubt, ...(old.plain === now.plain && { wrong: equalPromptErrorProbability }) };
  }
  return undefined;
}

/** The highest logit observed; if a candidate needs more, judging it is pointless. */
const logitMax = 6.5;

/** Whether the judge's maximum score would be enough. */
export function isWorthJudging(pair: Omit<PairSimilarity, 'logit'>, wrongMax: number): boolean {
  return judgedErrorProbability({ ...pair, logit: logitMax }) <= wrongMax;
}

/** The probability that the candidate's answer is wrong, by the judge's score. */
export function judgedErrorProbability(pair: PairSimilarity): number {
  return errorProbabilityOf(scoreOf(pair));
}
