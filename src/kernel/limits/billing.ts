/** Subscriptions and credits. */
export const billingLimits = {
  /** Times that an account or a payment is asked for again because somebody else changed it meanwhile. */
  billingTries: 5,
  /** Checkouts and the like that one account may ask for; people need a few. */
  billingAsksPerAccount: { most: 200, seconds: 600 },
  /** How long a tier lasts after a payment for it has failed. */
  pastDueGraceMs: 7 * 86_400_000,
  /** News of the processor: how old it may be when it comes, how large, and how long its id is remembered. */
  eventAgeSeconds: 300,
  eventBytesMax: 1024 * 1024,
  eventsKeptMs: 30 * 86_400_000,
  /** Credits that are bought at once: no less than a card may be charged, no more than a person means. */
  creditsBoughtMin: 50_000,
  creditsBoughtMax: 1_000_000_000,
  /** Recharges of an account within a day: a program that runs wild empties no bank account. */
  rechargesInWindow: 5,
  rechargeWindowMs: 86_400_000,
  /** How often it is looked for recharges that were left or are due, how many at once, and after what time one is
   * taken for left: whoever is still at it does no harm, since both ask for the same charge. */
  rechargeSweepMs: 10_000,
  rechargesAtOnce: 50,
  rechargeLeaseMs: 15_000,
  /** Pauses after a processor that doesn't answer, from the first to the longest. */
  rechargePauseMs: 30_000,
  rechargePauseMsMax: 3_600_000,
  /** A charge is asked for again under its key for so long; the processor remembers keys for a day. */
  rechargeKeyLifeMs: 20 * 3_600_000,
  /** Addresses that browsers go to. */
  urlCharactersMax: 2048,
  /** Invoices on one page; the processor gives no more. */
  invoicePageMax: 100,
  /** Entries of an account's ledger on one page. */
  creditPageMax: 200,
  /** Accounts that are compared with the processor's record at a time. */
  reconciledAtOnce: 100,
  /** How often it is looked whether the command line has changed an account, and how long that waits for it. */
  mailboxMs: 200,
  mailboxWaitMs: 2000,
  /** Accounts past their caps whose credits are remembered, 100 bytes each; those of others are read again. */
  creditCapsKept: 10_000,
} as const;
