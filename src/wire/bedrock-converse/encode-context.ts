/** What an encoder needs to know besides the content itself. */
export interface EncodeContext {
  readonly traits: ModelTraits;
  readonly mapToolCallId: (id: string) => string;
  readonly dropped: Set<string>;
  /** How often documents of a name came, of which no two may be the same. */
  readonly documentNames: Map<string, number>;
}

/** What Converse takes of a model's maker alone: notes in its reference. */
interface ModelTraits {
  /** Of Claude, or behind a name that doesn't tell: takes signed thinking, and marks on tools and for an hour. */
  readonly isClaude: boolean;
  readonly isNova: boolean;
  /** Takes marks for what is to be cached, is told of calls that failed, and sees pictures in results. */
  readonly supportsRichContent: boolean;
  /** Whether a turn with results may have anything else in it. */
  readonly allowsMixedTurns: boolean;
  /** How it can be told to call a tool. */
  readonly toolChoices: 'all' | 'any' | 'none';
}

/** Names of profiles that customers made say nothing about their model. */
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
