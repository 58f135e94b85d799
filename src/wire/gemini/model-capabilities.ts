/** What a model supports, by its generation; a name without a version counts as the newest. */
export interface ModelCapabilities {
  /** Whether thinking is controlled by a token budget or by a level. */
  readonly thinkingControl: 'by budget' | 'by level';
  /** Rejects function calls in the history without a signature. */
  readonly requiresSignatures: boolean;
  /** Accepts pictures inside function results. */
  readonly allowsMediaInResults: boolean;
  /** Supports an output format together with tools. */
  readonly allowsFormatWithTools: boolean;
  /** Accepts a system instruction apart from the conversation. */
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
  const match = /^gemini-(?:[a-z]+-)*(\d+)/.exec(model.slice(Math.max(0, model.indexOf('gemini-'))));
  return match === null ? Number.POSITIVE_INFINITY : Number(match[1]);
}
