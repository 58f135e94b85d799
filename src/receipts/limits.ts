/** Limits of receipts. Each name has its unit. */
export const limits = {
  /**
   * Delay before a private receipt is stored, how many wait at most, a kilobyte each, and the backoff after a
   * failure.
   */
  receiptFlushMs: 250,
  receiptsWaiting: 20_000,
  receiptRetryMsMax: 5000,
  /** Receipts signed and stored together, five milliseconds of this thread. */
  receiptsAtOnce: 50,
} as const;
