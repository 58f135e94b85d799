/** What a model can be asked for, by its generation: the newest where its name has no number. */
export interface ModelCapabilities {
  /** How it is told how hard to think: by a number of tokens, or by a level. */
  readonly thinkingControl: 'by budget' | 'by level';
  /** Refuses a call of a function in its history that has no signature. */
  readonly requiresSignatures: boolean;
  /** Takes pictures inside of what a function returned. */
  readonly allowsMediaInResults: boolean;
  /** Can be held to a format while it has tools. */
  readonly allowsFormatWithTools: boolean;
  /** Takes instructions apart from the conversation. */
  readonly allowsSystemInstruction: boolean;
}

export function capabilitiesOf(model: string): ModelCapabilities {
  const third = versionOf(model) >= 3;
  return {
    thinkingControl: third ? 'by level' : 'by budget',
    requiresSignatures: third,
    allowsMediaInResults: third,
    allowsFormatWithTools: third,
    allowsSystemInstruction: !/gemma-?[23]/.test(model),
  };
}

function versionOf(model: string): number {
  if (/gemma/.test(model)) return 0;
  const found = /^gemini-(?:[a-z]+-)*(\d+)/.exec(model.slice(Math.max(0, model.indexOf('gemini-'))));
  return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
}
