export const limits = {
  /** The highest ceiling in dollars: sums in nano USD stay safe integers far above it. */
  ceilingUsdMax: 1_000_000,
  /** Callers get a warning from this percentage of a ceiling on. */
  costWarningPercent: 80,
  /** Assumed output tokens when neither the call nor the catalog sets a limit: twice the maximum of most models. */
  assumedOutputTokens: 65_536,
  /** Assumed context window of a model whose window the catalog doesn't have. */
  assumedContextTokens: 200_000,
  /** Tokens that one web search adds: in 37 recorded calls the median was 11,149 and the maximum 19,978. */
  searchTokens: 20_000,
  /** Assumed searches per call without a limit: the maximum in those calls, with 115,886 tokens. */
  defaultSearches: 6,
  /** Assumed uses of a provider's tool per call without a limit. */
  defaultToolUses: 10,
  /** Output of a summary that the provider makes: four times that of Anthropic's example. */
  summaryTokens: 16_384,
  /** Output of an advisor without a limit, with its thinking. */
  adviceTokens: 16_384,
  /** Held for a call to an endpoint that bounds neither tokens nor cost: more than an image or an hour of audio costs. */
  assumedRelayNanoUsd: 1_000_000_000,
  /** Caps on requested tokens, answers and searches, above what any provider allows, so that sums stay finite. */
  estimatedTokensMax: 100_000_000,
  estimatedUsesMax: 1000,
  /** A module may delay a call by 30 seconds. */
  waitSecondsMax: 25,
  /** When Weir chooses the output limit, a call holds at most this fraction of a ceiling, to leave room for parallel calls. */
  chosenCeilingDivisor: 8,
  /** A chosen limit leaves room for a long answer. */
  chosenOutputTokensMin: 8192,
  /** A call with room for fewer output tokens is rejected instead of clamped. */
  clampedOutputTokensMin: 256,
} as const;
