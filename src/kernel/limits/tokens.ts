/** Counting tokens. */
export const tokensLimits = {
  /** A count of tokens reads this much text, a second's work or less; of more it reads an even sample. */
  tokenizedCharsMax: 1024 * 1024,
  /** And this much before it lets another count go on. */
  tokenizedAtOnceChars: 64 * 1024,
  /** Providers take a few hundred tools; of more an even sample is laid out and counted. */
  countedToolsMax: 1000,
  /** Letters without a gap that the tokenizer gets at once: its work grows with their square, 100,000 take 15 s. */
  tokenizedRunMax: 256,
  /** Rare words whose tokens are remembered; clients choose the words. */
  tokenizedWordsKept: 10_000,
  /** Counts that wait for the tokenizer; more are answered by the length of the text. */
  pendingTokenCountsMax: 64,
} as const;
