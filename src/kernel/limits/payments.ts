/** Payments call by call. */
export const paymentsLimits = {
  /** What the operator pays for is small: so much is read of a call, and so much answered. */
  paidBodyBytesMax: 64 * 1024,
  sandboxOutputTokensMax: 1024,
  /** How long a quoted price holds: wallets ask a person, sometimes. */
  challengeLifeMs: 300_000,
  /** Prices that one address may ask for; an agent asks once a call. */
  challengesPerAddress: { most: 120, seconds: 60 },
  /** Challenges that are stored, half a kilobyte each; past it those that are nearest to their end go first. */
  challengesKept: 100_000,
  /** How often it is looked for those that are over or too many: after so much time, or so many new ones of a process. */
  challengesTidyMs: 10_000,
  challengesBetweenTidying: 1000,
  /** A payment that nobody works on any more is given back so soon; whoever does says so in between. */
  settlementLeaseMs: 10_000,
  settlementRenewalMs: 3000,
  /** How often it is looked for such payments, and how many of them are looked at in one go. */
  settlementSweepMs: 1000,
  settlementsAtOnce: 20,
  /** One that the processor doesn't know of is looked for so long: what it was asked for may be late. */
  settlementUnknownMs: 600_000,
  /** How long those that are over are remembered, how many at most, and how often the others are forgotten. */
  settlementKeptMs: 7 * 86_400_000,
  settlementsKept: 100_000,
  settlementsTidyMs: 60_000,
  /** How long the payment processor may take for an answer, how often it is asked for the same, and the pause before. */
  processorAnswerMs: 10_000,
  processorTries: 3,
  processorPauseMs: 250,
  /** Where a payment is looked for among those of about a time: how far clocks may differ, and pages of 100. */
  processorClockSeconds: 120,
  processorPagesMax: 50,
  /** Payments that one address may try to make; each takes a challenge, and so an honest one never gets here. */
  paymentsPerAddress: { most: 120, seconds: 60 },
  /** Calls of an address that may come to nothing after the operator has paid for them, and how many addresses are known. */
  unpaidCallsPerAddress: { most: 20, seconds: 600 },
  unpaidCallAddressesMax: 10_000,
  /** How long a paid answer can be asked for again, how many are kept, and how many bytes in all and of one. */
  paidAnswerKeptMs: 86_400_000,
  paidAnswersKept: 20_000,
  paidAnswersBytes: 512 * 1024 * 1024,
  paidAnswerBytesMax: 2 * 1024 * 1024,
  /** How often an answer that was paid for and cut off is made again for nothing. */
  paidAnswerRetriesMax: 3,
  /** The same bound as the processor's own keys have. */
  idempotencyKeyCharactersMax: 255,
  /** What a paid call answers at most unless it says otherwise, and what a model must have room for to be sold. */
  paidOutputTokens: 1024,
  paidOutputTokensMin: 256,
  /** Tokens of a question: half a one for each byte of words, see decision 14, and one for any other byte. */
  paidTokensPerByte: 0.5,
  paidTokensBase: 200,
  /** Lines of the ledger on one page. */
  ledgerPageMax: 200,
} as const;
