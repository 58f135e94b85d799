/** What a model can be asked for, by its generation: the newest where its name has no number. */
export interface Generation {
  /** How it is told how hard to think: by a number of tokens, or by a level. */
  readonly thinks: 'by budget' | 'by level';
  /** Refuses a call of a function in its history that has no signature. */
  readonly wantsSignatures: boolean;
  /** Takes pictures inside of what a function returned. */
  readonly seesResults: boolean;
  /** Can be held to a format while it has tools. */
  readonly formatsWithTools: boolean;
  /** Takes instructions apart from the conversation. */
  readonly instructed: boolean;
}

export function generationOf(model: string): Generation {
  const third = numberOf(model) >= 3;
  return {
    thinks: third ? 'by level' : 'by budget',
    wantsSignatures: third,
    seesResults: third,
    formatsWithTools: third,
    instructed: !/gemma-?[23]/.test(model),
  };
}

function numberOf(model: string): number {
  if (/gemma/.test(model)) return 0;
  const found = /^gemini-(?:[a-z]+-)*(\d+)/.exec(model.slice(Math.max(0, model.indexOf('gemini-'))));
  return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
}
