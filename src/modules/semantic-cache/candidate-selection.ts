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

/** A text with more characters than this has more tokens than are allowed, or words that nobody says. */
const charactersMax = 1000;

/** A prompt that may be looked up by its meaning, or why it may not. */
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

/** Something that was asked before, near what is asked now. */
export interface CandidatePrompt {
  readonly text: string;
  readonly cosine: number;
}

export interface AcceptedCandidate<One extends CandidatePrompt> {
  readonly candidate: One;
  readonly doubt: number;
  /** Where there is nothing left to judge. */
  readonly wrong?: number;
}

/** The nearest that nothing speaks against; candidates come nearest first. */
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

/** The most that the judge has ever been seen to say; where more would be needed, it needn't be asked. */
const logitMax = 6.5;

/** Whether the judge could find a candidate good enough. */
export function isWorthJudging(pair: Omit<PairSimilarity, 'logit'>, wrongMax: number): boolean {
  return judgedErrorProbability({ ...pair, logit: logitMax }) <= wrongMax;
}

/** How likely it is that the candidate's answer is wrong, by the judge's word. */
export function judgedErrorProbability(pair: PairSimilarity): number {
  return errorProbabilityOf(scoreOf(pair));
}
