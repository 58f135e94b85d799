import { chanceWrong, type Likeness, scoreOf, wrongWhereEqual } from './bound.ts';
import { bypassOf } from './bypass.ts';
import { differenceOf } from './text/difference.ts';
import { doubtOf } from './text/doubt.ts';
import type { ReadPrompts } from './text/read-prompts.ts';
import type { Prompt } from './text/reading/prompt.ts';
import { vetoOf } from './text/vetoes.ts';

/** A text with more characters than this has more tokens than are allowed, or words that nobody says. */
const charactersMax = 1000;

/** A prompt that may be looked up by its meaning, or why it may not. */
export type Readable =
  | { readonly prompt: Prompt; readonly bypass?: undefined }
  | { readonly prompt?: undefined; readonly bypass: string };

export function readable(
  text: string,
  options: { readonly current: 'bypass' | 'allow' },
  prompts: ReadPrompts,
): Readable {
  if (text.length > charactersMax) return { bypass: 'long' };
  const prompt = prompts.read(text);
  const bypass = bypassOf(prompt, options);
  return bypass === undefined ? { prompt } : { bypass };
}

/** Something that was asked before, near what is asked now. */
export interface Candidate {
  readonly text: string;
  readonly cosine: number;
}

export interface Survivor<One extends Candidate> {
  readonly candidate: One;
  readonly doubt: number;
  /** Where there is nothing left to judge. */
  readonly wrong?: number;
}

/** The nearest that nothing speaks against; candidates come nearest first. */
export function nearest<One extends Candidate>(
  now: Prompt,
  candidates: readonly One[],
  prompts: ReadPrompts,
): Survivor<One> | undefined {
  for (const candidate of candidates) {
    const old = prompts.read(candidate.text);
    const difference = differenceOf(old, now);
    if (vetoOf(old, now, difference) !== undefined) continue;
    const doubt = doubtOf(old, now, difference);
    return { candidate, doubt, ...(old.plain === now.plain && { wrong: wrongWhereEqual }) };
  }
  return undefined;
}

/** The most that the judge has ever been seen to say; where more would be needed, it needn't be asked. */
const logitMax = 6.5;

/** Whether the judge could find a candidate good enough. */
export function isWorthJudging(pair: Omit<Likeness, 'logit'>, wrongMax: number): boolean {
  return judgedWrong({ ...pair, logit: logitMax }) <= wrongMax;
}

/** How likely it is that the candidate's answer is wrong, by the judge's word. */
export function judgedWrong(pair: Likeness): number {
  return chanceWrong(scoreOf(pair));
}
