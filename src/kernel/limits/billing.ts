/** Subscriptions and credits. */
export const billingLimits = {
  /** Retries when an account or a payment was changed concurrently. */
  billingTries: 5,
  /** Checkouts and similar requests of one account; users need a few. */
  billingAsksPerAccount: { most: 200, seconds: 600 },
  /** How long a tier lasts after a payment for it has failed. */
  pastDueGraceMs: 7 * 86_400_000,
  /** Webhooks of the processor: maximum age, maximum size, and how long their ids are stored. */
  eventAgeSeconds: 300,
  eventBytesMax: 1024 * 1024,
  eventsKeptMs: 30 * 86_400_000,
  /** Credits of one purchase: at least the minimum card charge, at most what a person would intend. */
  creditsBoughtMin: 50_000,
  creditsBoughtMax: 1_000_000_000,
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
  /** URLs for browsers. */
  urlCharactersMax: 2048,
  /** Invoices on one page; the processor's maximum. */
  invoicePageMax: 100,
  /** Ledger entries of an account on one page. */
  creditPageMax: 200,
  /** Accounts compared with the processor's records at a time. */
  reconciledAtOnce: 100,
  /** Interval between checks for changes by the command line, and how long the command waits for it. */
  mailboxMs: 200,
  mailboxWaitMs: 2000,
  /** Accounts beyond their caps whose credits are cached, 100 bytes each; those of others are read again. */
  creditCapsKept: 10_000,
} as const;
