/** Limits of alerts. Each name has its unit. */
export const limits = {
  /** Webhooks of an account: a few programs, channels and mailboxes. */
  webhooksMax: 20,
  /** Deliveries that are stored for an account, those that ended included. */
  deliveriesMax: 1000,
  /** Alerts of an account within a day; a client that sends wrong provider keys could cause any number. */
  alertsPerDayMax: 500,
  /** Alerts in memory while the database is unavailable, half a kilobyte each. */
  waitingMax: 5000,
  /** Delay before an alert is stored, and the maximum backoff after a failed write. */
  storeMs: 20,
  storeRetryMsMax: 30_000,
  /** Recently raised alerts that need no look into the database, 200 bytes each. */
  rememberedMax: 20_000,
  /** Ceilings whose last threshold is remembered, 200 bytes each. */
  ceilingsMax: 20_000,
  /** Keys of alerts beyond this length are hashed: PostgreSQL indexes 2,700 bytes. */
  keyCharactersMax: 200,
  /** Names of models and keys in messages: clients choose them. */
  nameCharactersMax: 100,
  /** Interval between looks for deliveries of other processes and for retries. */
  pollMs: 5000,
  /** Deliveries that a process sends at once. */
  sendsAtOnce: 16,
  /** Timeout of an attempt: receivers should answer first and work later. */
  sendMs: 10_000,
  /** How long a process owns a delivery: several timeouts, since it may be busy. */
  leaseMs: 60_000,
  /** Bytes of a response that are read; its status is all that counts. */
  responseBytesMax: 64 * 1024,
  /** The first retry is after some seconds, each later one after four times as long, up to hours. */
  retryMs: 5000,
  retryFactor: 4,
  retryMsMax: 4 * 3_600_000,
  /** A delivery is tried this long. */
  deliveryMs: 24 * 3_600_000,
  /** A webhook whose attempts all fail for this long is disabled. */
  failingMsMax: 5 * 24 * 3_600_000,
  /** How long a replaced secret still signs. */
  secretOverlapMs: 24 * 3_600_000,
  /** How long ended deliveries are listed. */
  deliveriesKeptMs: 30 * 86_400_000,
  /** Longer than any period of an alert, which is a month at most. */
  alertsKeptMs: 62 * 86_400_000,
  cleanMs: 3_600_000,
  /** Interval between looks whether the sums of another five minutes are complete. */
  anomalyPollMs: 20_000,
  /** How long after their end calls of a window may be stored. */
  anomalyLagMs: 30_000,
  /** How long a process owns a round; a round of 10,000 keys takes seconds. */
  anomalyLeaseMs: 240_000,
  /** Keys whose states are in memory at once, some kilobytes each. */
  anomalyKeysAtOnce: 200,
  /** Sums that a round reads at once: two for each of 20,000 keys. */
  anomalyRowsMax: 40_000,
  /** After a stop, quarters of an hour that ended within this time are still learned: sums by minute are kept for three hours. */
  anomalyCatchUpMs: 9_000_000,
  /** How long before its window an anomaly is compared, to explain it, and the sums that are read for that. */
  anomalyBeforeMs: 7_200_000,
  anomalyPartsMax: 20_000,
  /** What is known of a key without calls is forgotten after this time. */
  keyStatesKeptMs: 35 * 86_400_000,
} as const;
