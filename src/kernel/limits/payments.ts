/** Payments per call. */
export const paymentsLimits = {
  /** The operator pays for small calls only: limits of their request and answer. */
  paidBodyBytesMax: 64 * 1024,
  sandboxOutputTokensMax: 1024,
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
  /** Timeout of the payment processor, attempts per request, and the delay between them. */
  processorAnswerMs: 10_000,
  processorTries: 3,
  processorPauseMs: 250,
  /** Searching payments by time: tolerated clock difference, and pages of 100. */
  processorClockSeconds: 120,
  processorPagesMax: 50,
  /** Payment attempts of one address; each takes a challenge, so an honest client never reaches this. */
  paymentsPerAddress: { most: 120, seconds: 60 },
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
  /** The same limit as the processor's own keys have. */
  idempotencyKeyCharactersMax: 255,
  /** Default output limit of a paid call, and the minimum that the price of a model must cover. */
  paidOutputTokens: 1024,
  paidOutputTokensMin: 256,
  /** Estimated input tokens: half a token per byte of words, see decision 14, and one for any other byte. */
  paidTokensPerByte: 0.5,
  paidTokensBase: 200,
  /** Ledger lines on one page. */
  ledgerPageMax: 200,
} as const;
