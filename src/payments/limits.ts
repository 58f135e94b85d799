/** Limits of payments over HTTP 402. Each name has its unit. */
export const limits = {
  /** How long a quoted price is valid: wallets sometimes ask a person. */
  challengeLifeMs: 300_000,
  /** Quotes for one address; an agent needs one per call. */
  challengesPerAddress: { most: 120, seconds: 60 },
  /** Stored challenges, half a kilobyte each; beyond that, those that expire first are deleted. */
  challengesKept: 100_000,
  /** Cleanup of challenges: after this time, or after this many new ones of a process. */
  challengesTidyMs: 10_000,
  challengesBetweenTidying: 1000,
  /** Lease of a payment, after which it is refunded, and its renewal interval. */
  settlementLeaseMs: 10_000,
  settlementRenewalMs: 3000,
  /** Interval between checks for abandoned payments, and how many are handled at once. */
  settlementSweepMs: 1000,
  settlementsAtOnce: 20,
  /** How long a payment that the processor doesn't know is looked for: a request may arrive late. */
  settlementUnknownMs: 600_000,
  /** How long closed payments are stored, how many at most, and the interval between cleanups. */
  settlementKeptMs: 7 * 86_400_000,
  settlementsKept: 100_000,
  settlementsTidyMs: 60_000,
  /** Attempts per request to the payment processor, and the delay between them. */
  processorTries: 3,
  processorPauseMs: 250,
  /** Pages of 100 payments that a search by time reads. */
  processorPagesMax: 50,
  /** Calls of an address that may fail after the operator has paid for them, and how many addresses are tracked. */
  unpaidCallsPerAddress: { most: 20, seconds: 600 },
  unpaidCallAddressesMax: 10_000,
  /** How long a paid answer can be fetched again, how many are stored, and their bytes in all and each. */
  paidAnswerKeptMs: 86_400_000,
  paidAnswersKept: 20_000,
  paidAnswersBytes: 512 * 1024 * 1024,
  paidAnswerBytesMax: 2 * 1024 * 1024,
  /** How often a paid answer that was cut off is regenerated for free. */
  paidAnswerRetriesMax: 3,
} as const;
