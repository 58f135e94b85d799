/** State shared between processes and replicas: counts, holds and versions. */
export const sharedLimits = {
  /** Timeout of Redis, which normally responds in a millisecond; leaves room for slow moments of a machine. */
  redisAnswerMs: 3000,
  /** Concurrent requests to Redis; with more it is overloaded. */
  redisPendingMax: 10_000,
  /** Reconnect delays, minimum and maximum. */
  redisRetryMsMin: 50,
  redisRetryMsMax: 2000,
  /** How long Redis stores an account's version; after that, lookups are repeated. */
  versionLifeMs: 7 * 86_400_000,
  /** Accounts whose versions a process caches from another; versions of others are fetched again. */
  cachedVersionsMax: 20_000,
  /** Accounts whose version changes are replayed when Redis is back; each is a manual change. */
  pendingRenewalsMax: 10_000,
  /** Accounts whose counts are in memory, 300 bytes each; those of others are read from the database again. */
  countedAccountsMax: 100_000,
  /** A count outlives its period by this, for calls that started in it. */
  countGraceMs: 3_600_000,
  /** Lifetime of a process's in-flight report; renewed every `underWayRenewalMs`. */
  inFlightLifeMs: 60_000,
  inFlightRenewalMs: 20_000,
  /** Delay of the report that calls have ended, if no other call reports it. */
  inFlightReportMs: 500,
  /** Attempt windows in memory; clients choose the names, and the oldest goes first. */
  rateLimitWindowsMax: 100_000,
  /**
   * Calls of an account that may fail in a minute without being counted: tolerates a provider outage, but not a loop.
   */
  givenBackPerMinute: 300,
  givenBackWindowMs: 60_000,
  /** How often a count is started for one call; if it is lost again and again, the store doesn't persist. */
  countStartsMax: 3,
  /** Calls reserved ahead under load: a kill costs at most these, or a quarter of a second's calls. */
  reservedAheadMin: 16,
  /** And never more than this share of what is left. */
  reservedShare: 8,
  /**
   * How long a call waits for its reservation; after that the database counts as unavailable, and calls continue
   * without.
   */
  reservationWaitMs: 3000,
  /** Interval between checks for unneeded reservations, and between rewrites of long-lived ones. */
  reservationTrimMs: 1000,
  reservationRenewalMs: 60_000,
  /** Money reserved by a killed process counts for the rest of its month. */
  reservationKeptMs: 32 * 86_400_000,
  /** Holds of a killed process count as spent after this; live ones renew theirs long before. */
  holdLifeMs: 600_000,
  /** Interval between renewals of a hold, and between retries of failed settlements. */
  holdRenewalMs: 60_000,
  settleRetryMs: 2000,
  /** A budget unused for this long is loaded from the database again, which is complete by then. */
  budgetIdleMs: 3_600_000,
  /** Keys whose spending is in memory, 300 bytes each; that of others is read from the database again. */
  budgetsMax: 100_000,
  /**
   * All networks of an IPv6 /48 together may try as often as this many of them. One customer can have all 65,536, and
   * a few providers put many customers into one.
   */
  networksPerSite: 10,
} as const;
