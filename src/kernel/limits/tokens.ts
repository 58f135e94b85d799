/** Counting tokens. */
export const tokensLimits = {
  /** Text that a token count reads, a second's work or less; of more it reads an even sample. */
  tokenizedCharsMax: 1024 * 1024,
  /** And this much before it yields to another count. */
  tokenizedAtOnceChars: 64 * 1024,
  /** Providers accept a few hundred tools; of more, an even sample is rendered and counted. */
  countedToolsMax: 1000,
  /** Letters without a gap in one tokenizer call: its work grows quadratically, 100,000 take 15 s. */
  tokenizedRunMax: 256,
  /** Cached tokens of rare words; clients choose the words. */
  tokenizedWordsKept: 10_000,
  /** Queued counts; further ones are estimated by the length of the text. */
  pendingTokenCountsMax: 64,
} as const;
