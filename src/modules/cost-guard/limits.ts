export const limits = {
  /** The most that a ceiling in dollars can be: sums of billionths stay whole numbers far beyond it. */
  ceilingUsdMax: 1_000_000,
  /** The share of a ceiling from which on callers are warned, in hundredths. */
  costWarningPercent: 80,
  /** Tokens of output that a call is taken to have where neither it nor the catalogue says: twice what most models can. */
  assumedOutputTokens: 65_536,
  /** Tokens that a provider is taken to read on its own where the catalogue doesn't know the model's context. */
  assumedContextTokens: 200_000,
  /** Tokens that one search of the web adds: in 37 recorded calls that searched 11,149 in the middle, and 19,978 at most. */
  searchTokens: 20_000,
  /** Searches whose findings are read where nobody limits them: the most in one of those calls, with 115,886 tokens. */
  defaultSearches: 6,
  /** Tokens, answers and searches that a call may ask for: more than any provider grants, so that sums stay numbers. */
  estimatedTokensMax: 100_000_000,
  estimatedUsesMax: 1000,
  /** Where the limit is ours to choose, one call holds no more than this part of a ceiling, so that others can be made beside it. */
  chosenCeilingDivisor: 8,
  /** But enough for a long answer. */
  chosenOutputTokensMin: 8192,
  /** A call that could say less than this is refused rather than cut short. */
  clampedOutputTokensMin: 256,
} as const;
