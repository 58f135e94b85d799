/** What an encoder needs to know besides the content itself. */
export interface Encoding {
  /** Of Claude, or behind a name that doesn't tell: takes signed thinking, and marks on tools. */
  readonly isClaude: boolean;
  /** Takes marks for what is to be cached, and is told of calls that failed. */
  readonly isCaching: boolean;
  readonly callId: (id: string) => string;
  readonly dropped: Set<string>;
  /** Names of documents, no two of which may be the same. */
  readonly documentNames: Set<string>;
}

/** Names of profiles that customers made say nothing about their model. */
export function encodingFor(model: string, callId: (id: string) => string, dropped: Set<string>): Encoding {
  const isClaude = /claude|^arn:/.test(model);
  return {
    isClaude,
    isCaching: isClaude || /amazon\.nova/.test(model),
    callId,
    dropped,
    documentNames: new Set(),
  };
}
