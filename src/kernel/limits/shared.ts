/** What processes and replicas share: counts, holds and versions. */
export const sharedLimits = {
  /** Redis answers in a millisecond, and a machine has slow moments; whoever waited this long is told that it is away. */
  redisAnswerMs: 3000,
  /** Questions that wait for Redis at once; with more it is not keeping up. */
  redisPendingMax: 10_000,
  /** Pauses between tries to reach Redis, from the first to the longest. */
  redisRetryMsMin: 50,
  redisRetryMsMax: 2000,
  /** How long Redis remembers an account's version; after it, lookups are made once more. */
  versionLifeMs: 7 * 86_400_000,
  /** Accounts whose versions a process keeps that has them from another; of others it asks again. */
  cachedVersionsMax: 20_000,
  /** Accounts whose renewal is made up for when Redis is back; each is a change that somebody made by hand. */
  pendingRenewalsMax: 10_000,
  /** Accounts whose counts are in memory, 300 bytes each; those of others are read from the database again. */
  countedAccountsMax: 100_000,
  /** A count outlives its period by this, for calls that began in it. */
  countGraceMs: 3_600_000,
  /** What a process says that it has under way is believed for so long; it says so again within `underWayRenewalMs`. */
  inFlightLifeMs: 60_000,
  inFlightRenewalMs: 20_000,
  /** How late it is told that calls have ended, where no other call tells it. */
  inFlightReportMs: 500,
  /** Windows of tries in memory; addresses choose their names, and the oldest window goes first. */
  rateLimitWindowsMax: 100_000,
  /** Calls of an account that may fail in a minute without being counted: an outage of a provider is not a loop. */
  givenBackPerMinute: 300,
  givenBackWindowMs: 60_000,
  /** Times that a count is begun for one call; one that is lost again and again means a store that doesn't keep. */
  countStartsMax: 3,
  /** Calls that are reserved ahead where many come: a kill costs no more than these, or a quarter of a second's calls. */
  reservedAheadMin: 16,
  /** And never more than such a part of what is left. */
  reservedShare: 8,
  /** How long a call waits for its reservation; then the database counts as away, and calls go on without. */
  reservationWaitMs: 3000,
  /** How often it is looked what is reserved and not needed, and how often what is needed for long is written anew. */
  reservationTrimMs: 1000,
  reservationRenewalMs: 60_000,
  /** Money that a killed process had reserved counts for the rest of its month. */
  reservationKeptMs: 32 * 86_400_000,
  /** What a process that was killed had held counts as spent after this; living ones renew their holds long before. */
  holdLifeMs: 600_000,
  /** How often a hold is renewed, and how often what could not be settled is tried again. */
  holdRenewalMs: 60_000,
  settleRetryMs: 2000,
  /** A purse that nobody used for so long is counted from the database again, where by then everything is. */
  budgetIdleMs: 3_600_000,
  /** Keys whose spending is in memory, 300 bytes each; that of others is read from the database again. */
  budgetsMax: 100_000,
  /**
   * All networks of an IPv6 /48 together may try as often as so many of them. One customer can hold all 65,536, and a few providers
   * put many customers into one.
   */
  networksPerSite: 10,
} as const;
