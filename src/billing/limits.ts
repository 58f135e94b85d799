/** Limits of billing: quotas, usage, credits. Each name has its unit. */
export const limits = {
  /** Retries when an account or a payment was changed concurrently. */
  billingTries: 5,
  /** Checkouts and similar requests of one account; users need a few. */
  billingRequestsPerAccount: { most: 200, seconds: 600 },
  /** How long a tier lasts after a payment for it has failed. */
  pastDueGraceMs: 7 * 86_400_000,
  /** Maximum age of a webhook of the payment processor. */
  eventAgeSeconds: 300,
  /** How long ids of webhooks are stored. */
  eventsKeptMs: 30 * 86_400_000,
  /** Recharges of an account within a day, so that a runaway program can't empty a bank account. */
  rechargesInWindow: 5,
  rechargeWindowMs: 86_400_000,
  /**
   * Interval between checks for abandoned or due recharges, how many at once, and when one counts as abandoned. A
   * slow worker does no harm, since both request the same charge.
   */
  rechargeSweepMs: 10_000,
  rechargesAtOnce: 50,
  rechargeLeaseMs: 15_000,
  /** Backoff after the processor fails to respond, minimum and maximum. */
  rechargePauseMs: 30_000,
  rechargePauseMsMax: 3_600_000,
  /** How long a charge is retried under its idempotency key; the processor stores keys for a day. */
  rechargeKeyLifeMs: 20 * 3_600_000,
  /** Accounts compared with the processor's records at a time. */
  reconciledAtOnce: 100,
  /** Accounts beyond their caps whose credits are cached, 100 bytes each; those of others are read again. */
  creditCapsKept: 10_000,
  /** How long usage waits in memory and in the usage journal. */
  usageFlushMs: 1000,
  /** Size at which the journal of a batch is rewritten: it grows with every call while the database is unavailable. */
  usageJournalBytes: 8 * 1024 * 1024,
  /** How long a process waits for the lock on its own new file, which another may look at for microseconds. */
  lockWaitMs: 1000,
  /** Maximum backoff after a failed write. */
  usageRetryMsMax: 30_000,
  /**
   * Usage sums waiting to be stored; beyond that, models are summed up as "other", and beyond twice as many, whole
   * accounts.
   */
  usageSumsMax: 10_000,
  /** Failed batches waiting to be stored again: one that the database rejects must not block the others. */
  usageBatchesMax: 4,
  /** Retries when usage was stored during a read. */
  usageReadsMax: 5,
  /** Interval between in-flight reports of a process. */
  inFlightRenewalMs: 20_000,
  /** Delay of the report that calls have ended, if no other call reports it. */
  inFlightReportMs: 500,
  /**
   * Calls of an account that may fail in a minute without being counted: tolerates a provider outage, but not a loop.
   */
  givenBackPerMinute: 300,
  /** How often a count is started for one call; if it is lost again and again, the store doesn't persist. */
  countStartsMax: 3,
  /** How often calls that wait for money look for settlements of other processes. */
  waitingHoldRetryMs: 250,
  /** Calls of one key that wait for money in a process. */
  waitingHoldsMax: 1000,
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
  /** Interval between deletions of those whose time is over. */
  reservationSweepMs: 600_000,
  /** End users and values of a tag that are listed with a budget that each has by itself. */
  budgetValuesShownMax: 10,
  /** Money reserved by a killed process counts for the rest of its month. */
  reservationKeptMs: 32 * 86_400_000,
  /** Interval between renewals of a hold, and between retries of failed settlements. */
  holdRenewalMs: 60_000,
  settleRetryMs: 2000,
} as const;
