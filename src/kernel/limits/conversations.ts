/** Conversations: what is remembered of them. */
export const conversationsLimits = {
  /** What modules decided in a conversation is forgotten when that was left alone for so long. */
  decisionLogLifeMs: 30 * 86_400_000,
  /** And sooner where an account has more of them than there is room for. */
  fullDecisionLogLifeMs: 86_400_000,
  /** Decisions of one module that are read with a conversation: more than its turns, in an agent run of days. */
  decisionLogEntriesMax: 5000,
  /** After so many new decisions a page of old ones is looked through: each is looked at twice before a store is full. */
  decisionLogEntriesBetweenSweeps: 50,
  /** Conversations whose decisions are in memory, and how much of them. */
  openDecisionLogsMax: 1000,
  decisionLogCharsMax: 32 * 1024 * 1024,
  /** How long a provider keeps what it has read where nobody knows: it is rather believed to keep it. */
  cacheLifeSeconds: 600,
  /** What was sent last is remembered for a day; no cache that is read without being asked for lives longer. */
  prefixTtlSeconds: 86_400,
  /** Places of a conversation that are looked at for it: people take back a few turns, and then it is another one. */
  prefixLookupsMax: 8,
  prefixClaimsMax: 10_000,
  /** Conversations whose latest messages are kept to compare the next call with, and how large one may be: some 10 MB in all. */
  prefixConversationsMax: 32,
  comparedBodyBytesMin: 32 * 1024,
  comparedBodyBytesMax: 1024 * 1024,
  /** Changes of what a provider keeps in one conversation, by declared steps: a long run takes a dozen. */
  prefixStepsMax: 50,
  /** A request that fills this share of a window, by an estimate, may not fit. */
  fullWindowShare: 0.9,
  /** Prose and code have between 3 and 4.5 characters in a token. */
  charsPerToken: 4,
  /** What clients may go on from by name stays as long as with the API that they know it from. */
  turnLifeSeconds: 30 * 86_400,
  /** Memory for such conversations; the least recently used goes first. */
  turnBytesMax: 64 * 1024 * 1024,
  /** Turns that one conversation is put together from; agents that run for days make hundreds. */
  turnsMax: 10_000,
} as const;
