export const limits = {
  modelsMax: 20,
  retriesMax: 5,
  timeoutSecondsMax: 3600,
  maxUsdMax: 1000,
  /** Until the first content of a stream, if the list doesn't say. */
  timeoutMs: 60_000,
  /** An answer that isn't streamed arrives as a whole: the limit of the vendors' SDKs. */
  documentTimeoutMs: 600_000,
  /** A retry at the same target waits for a random time up to this, doubled with each. */
  backoffMs: 250,
  /** Retries and hedges may add this share to the calls of an account, and this many to begin with. */
  extraShare: 0.1,
  extraCallsMin: 10,
  accountsMax: 10_000,
  /** Targets with this share of failures, and this many, come after healthy ones. */
  degradedShare: 0.1,
  degradedFailures: 5,
  /** The fastest target keeps its place unless another is faster by this factor. */
  fasterFactor: 1.2,
  /** A target whose times are older than this gets one of so many calls, so that its recovery is noticed. */
  staleTimesMs: 30_000,
  exploredShare: 0.05,
  /** Makes a second, independent number of the seed of a call. */
  seedSpread: 7919,
  /** The request log stores this much of a fact. */
  notedCharactersMax: 100,
  /** What is known of a conversation is forgotten after a day. */
  conversationSeconds: 86_400,
} as const;
