/** What encoders need besides the content. */
export interface EncodeContext {
  readonly traits: ModelTraits;
  readonly mapToolCallId: (id: string) => string;
  readonly dropped: Set<string>;
  /** Uses of each document name, since names must be unique. */
  readonly documentNames: Map<string, number>;
}

/** Features that Converse supports for some model families only, by the notes in its reference. */
interface ModelTraits {
  /** Claude, or a customer's profile, whose name doesn't reveal the model. Accepts signed thinking, and cache points on tools and for an hour. */
  readonly isClaude: boolean;
  readonly isNova: boolean;
  /** Accepts cache points, a status in tool results, and pictures in them. */
  readonly supportsRichContent: boolean;
  /** Whether a turn with tool results may have other content. */
  readonly allowsMixedTurns: boolean;
  /** Supported tool choices. */
  readonly toolChoices: 'all' | 'any' | 'none';
}

export function createEncodeContext(
  model: string,
  mapToolCallId: (id: string) => string,
  dropped: Set<string>,
): EncodeContext {
  return { traits: traitsOf(model), mapToolCallId, dropped, documentNames: new Map() };
}

function traitsOf(model: string): ModelTraits {
  const isClaude = /claude|^arn:/.test(model);
  const isNova = /amazon\.nova/.test(model);
  const isLlama = /meta\.llama/.test(model);
  const isMistral = /mistral\./.test(model);
  const choices = isMistral ? 'any' : 'all';
  return {
    isClaude,
    isNova,
    supportsRichContent: isClaude || isNova,
    allowsMixedTurns: !isLlama && !isMistral,
    toolChoices: isLlama ? 'none' : choices,
  };
}
