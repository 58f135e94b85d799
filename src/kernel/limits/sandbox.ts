/** Calls without an account, and receipts. */
export const sandboxLimits = {
  /** Calls of a session that may fail without being counted: tolerates a provider's hiccups, but not a loop. */
  sandboxGivenBackMax: 20,
  /** How long expired sessions are stored, so that they can be reported as such and claimed. */
  anonSessionKeptMs: 30 * 86_400_000,
  /**
   * Delay before a private receipt is stored, how many wait at most, a kilobyte each, and the backoff after a
   * failure.
   */
  receiptFlushMs: 250,
  receiptsWaiting: 20_000,
  receiptRetryMsMax: 5000,
  /** Receipts signed and stored together, five milliseconds of this thread. */
  receiptsAtOnce: 50,
  /**
   * How much of an answer with a receipt is buffered and hashed at the end; longer answers are hashed while
   * streaming.
   */
  deferredHashBytesMax: 256 * 1024,
  /** Receipts on one page. */
  receiptPageMax: 200,
} as const;
