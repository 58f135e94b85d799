/** The database and usage accounting. */
export const recordsLimits = {
  /** How long usage waits in memory: a killed process loses this much. */
  usageFlushMs: 1000,
  /** Maximum backoff after a failed write. */
  usageRetryMsMax: 30_000,
  /**
   * Usage sums waiting to be stored; beyond that, models are summed up as "other", and beyond twice as many, whole
   * accounts.
   */
  usageSumsMax: 10_000,
  /** Failed batches waiting to be stored again: one that the database rejects must not block the others. */
  usageBatchesMax: 4,
  /** Maximum tokens, or nano USD, of one call: larger reports of a provider are ignored. */
  usageFigureMax: 1e13,
  /** Maximum tokens or searches that a provider may report for one call: no model reads or writes as many. */
  reportedCountMax: 100_000_000,
  /** Maximum dollars that a provider may report for one call; the same as `usageFigureMax`. */
  reportedCostUsdMax: 10_000,
  /**
   * How long the cost of a conversation in a trial is stored after its last call; if it continues later, it counts as
   * another.
   */
  trialKeptSeconds: 7 * 86_400,
  /** Retries when usage was stored during a read. */
  usageReadsMax: 5,
  /** Days of one usage report: a year, leap years included. */
  usageReportDaysMax: 366,
  /** PostgreSQL connections of one process; its default allows 100 in all, so that eight replicas fit. */
  databaseConnectionsMax: 10,
  /** Timeout for a connection; a healthy database gives one in milliseconds. */
  databaseWaitMs: 3000,
  /** Queue for connections: half a second's work at a tenth of a millisecond each. */
  databaseWaitingMax: 5000,
  /** Statements take milliseconds; one that takes seconds waits for a lock or for a broken disk. */
  databaseStatementMs: 5000,
  /** The database cancels a statement before the gateway gives up the database. */
  databaseAnswerMs: 7000,
  /** A migration may rewrite a large table, and others wait for it. */
  migrationMs: 600_000,
  /**
   * How long a migration step waits for a table lock, with all other users of the table queued behind it: shorter
   * than the statement timeout, and longer than the second after which autovacuum yields. Then others get a turn,
   * longer each time.
   */
  migrationLockMs: 2000,
  migrationPauseMsMin: 500,
  migrationPauseMsMax: 10_000,
  /** Timeout of a health check. */
  databasePingMs: 2000,
  /** Idle timeout of a connection, and its maximum age, so that a new address is noticed. */
  databaseIdleMs: 30_000,
  databaseConnectionLifeSeconds: 3600,
  /** A transaction whose process is stuck or cut off loses its locks after this. */
  databaseIdleInTransactionMs: 30_000,
  /** Rows in one statement: building 200 blocks the thread for two or three milliseconds. */
  databaseRowsAtOnce: 200,
  /** Cached prepared statements; batches have as many shapes as sizes. */
  preparedStatementsMax: 200,
  /** How long the id of an added batch is stored; retries come within minutes. */
  usageBatchKeptMs: 7 * 86_400_000,
  /** Interval between deletions of older ones. */
  usageBatchCleanupMs: 3_600_000,
} as const;
