/** State of conversations. */
export const conversationsLimits = {
  /** Decisions of modules are deleted when their conversation was inactive for this long, */
  decisionLogLifeMs: 30 * 86_400_000,
  /** or sooner if an account has more of them than fit. */
  fullDecisionLogLifeMs: 86_400_000,
  /** Decisions of one module loaded with a conversation: more than the turns of an agent run of days. */
  decisionLogEntriesMax: 5000,
  /**
   * After this many new decisions a page of old ones is swept, so that each is checked twice before a store is full.
   */
  decisionLogEntriesBetweenSweeps: 50,
  /** Conversations whose decisions are cached, and the size of that cache. */
  openDecisionLogsMax: 1000,
  decisionLogCharsMax: 32 * 1024 * 1024,
  /** Assumed lifetime of a provider's cache if unknown; rather too long than too short. */
  cacheLifeSeconds: 600,
  /** How long sent prefixes are stored; no automatic provider cache lives longer. */
  prefixTtlSeconds: 86_400,
  /**
   * Positions of a conversation that are searched for its last prefix: users take back a few turns; beyond that it
   * counts as another conversation.
   */
  prefixLookupsMax: 8,
  prefixClaimsMax: 10_000,
  /**
   * Conversations whose latest messages are cached to compare the next call with, and their maximum size: some 10 MB
   * in all.
   */
  prefixConversationsMax: 32,
  comparedBodyBytesMin: 32 * 1024,
  comparedBodyBytesMax: 1024 * 1024,
  /** Declared prefix changes in one conversation: a long run takes a dozen. */
  prefixStepsMax: 50,
  /** A request estimated to fill this share of a window may not fit. */
  fullWindowShare: 0.9,
  /** Prose and code have between 3 and 4.5 characters per token. */
  charsPerToken: 4,
  /** Turns that clients continue from by id are stored as long as by the original API. */
  turnLifeSeconds: 30 * 86_400,
  /** Memory for such conversations; the least recently used goes first. */
  turnBytesMax: 64 * 1024 * 1024,
  /** Turns that one conversation is assembled from; agents that run for days make hundreds. */
  turnsMax: 10_000,
} as const;
