/** Calls without an account, and receipts. */
export const sandboxLimits = {
  /** Calls of a session that may fail without being counted: a provider's hiccups are not a loop. */
  sandboxGivenBackMax: 20,
  /** Sessions that are over are remembered for so long, so that they can be told so and claimed. */
  anonSessionKeptMs: 30 * 86_400_000,
  /** How late a private receipt is stored, how many wait at most, a kilobyte each, and how long a failed try rests. */
  receiptFlushMs: 250,
  receiptsWaiting: 20_000,
  receiptRetryMsMax: 5000,
  /** Receipts that are signed and stored together, five milliseconds of this thread. */
  receiptsAtOnce: 50,
  /** Of an answer that gets a receipt so much is held, to be hashed when it is out; what is longer is hashed on its way. */
  deferredHashBytesMax: 256 * 1024,
  /** Receipts on one page. */
  receiptPageMax: 200,
} as const;
