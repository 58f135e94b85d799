/** What an encoder needs to know besides the content itself. */
export interface Encoding {
  readonly traits: Traits;
  readonly callId: (id: string) => string;
  readonly dropped: Set<string>;
  /** How often documents of a name came, of which no two may be the same. */
  readonly documentNames: Map<string, number>;
}

/** What Converse takes of a model's maker alone: notes in its reference. */
interface Traits {
  /** Of Claude, or behind a name that doesn't tell: takes signed thinking, and marks on tools and for an hour. */
  readonly isClaude: boolean;
  readonly isNova: boolean;
  /** Takes marks for what is to be cached, is told of calls that failed, and sees pictures in results. */
  readonly isRich: boolean;
  /** Whether a turn with results may have anything else in it. */
  readonly mixesTurns: boolean;
  /** How it can be told to call a tool. */
  readonly choices: 'all' | 'any' | 'none';
}

/** Names of profiles that customers made say nothing about their model. */
export function encodingFor(model: string, callId: (id: string) => string, dropped: Set<string>): Encoding {
  return { traits: traitsOf(model), callId, dropped, documentNames: new Map() };
}

function traitsOf(model: string): Traits {
  const isClaude = /claude|^arn:/.test(model);
  const isNova = /amazon\.nova/.test(model);
  const isLlama = /meta\.llama/.test(model);
  const isMistral = /mistral\./.test(model);
  const choices = isMistral ? 'any' : 'all';
  return {
    isClaude,
    isNova,
    isRich: isClaude || isNova,
    mixesTurns: !isLlama && !isMistral,
    choices: isLlama ? 'none' : choices,
  };
}
