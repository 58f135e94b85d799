/** The database, and what is counted in it. */
export const recordsLimits = {
  /** How long usage waits in memory: a killed process loses that much from the sums. */
  usageFlushMs: 100,
  /** And how long a failed try to store it rests at most. */
  usageRetryMsMax: 30_000,
  /** Sums of usage that wait to be stored; past it models are summed up as "other", past twice as many whole accounts are. */
  usageSumsMax: 10_000,
  /** Batches that wait to be stored again: one that the database refuses must not hold up the others. */
  usageBatchesMax: 4,
  /** Tokens, or billionths of a dollar, of one call: a provider that says more is not believed. */
  usageFigureMax: 1e13,
  /** Tokens or searches that a provider may say it counted in one call: no model reads or writes as many. */
  reportedCountMax: 100_000_000,
  /** Dollars that a provider may say one call cost; the same as `usageFigureMax`. */
  reportedCostUsdMax: 10_000,
  /** How long the cost of a conversation in a trial is known after its last call; one that goes on later counts as another. */
  trialKeptSeconds: 7 * 86_400,
  /** Times that stored usage is read again because some was stored meanwhile. */
  usageReadsMax: 5,
  /** Days of one usage report: a year, leap years included. */
  usageReportDaysMax: 366,
  /** Connections to PostgreSQL of one process; its own default allows 100 in all, so that eight replicas fit. */
  databaseConnectionsMax: 10,
  /** Until a connection is there, or free; a database that is up gives one in milliseconds. */
  databaseWaitMs: 3000,
  /** What waits for a connection: at a tenth of a millisecond each, what is done in half a second. */
  databaseWaitingMax: 5000,
  /** Our statements take milliseconds; one that takes seconds waits for a lock or for a broken disk. */
  databaseStatementMs: 5000,
  /** The database gives up a statement by itself before we give up the database. */
  databaseAnswerMs: 7000,
  /** A change of the schema may rewrite a large table, and others wait for it. */
  migrationMs: 600_000,
  /**
   * How long a step of it waits for a table, and all who want the table wait behind it: less than statements may take, and
   * more than the second after which PostgreSQL's own cleaning steps aside. Then others pass, for longer each time.
   */
  migrationLockMs: 2000,
  migrationPauseMsMin: 500,
  migrationPauseMsMax: 10_000,
  /** A check of the database's health; who asks wants to know soon. */
  databasePingMs: 2000,
  /** A connection that nobody used for so long is closed; and any after an hour, so that a new address is found. */
  databaseIdleMs: 30_000,
  databaseConnectionLifeSeconds: 3600,
  /** A transaction whose process is stuck or cut off gives up its locks after this. */
  databaseIdleInTransactionMs: 30_000,
  /** Rows in one statement: putting together 200 takes two or three milliseconds, in which nothing else is done. */
  databaseRowsAtOnce: 200,
  /** Statements that are kept prepared; batches have as many shapes as they have sizes. */
  preparedStatementsMax: 200,
  /** How long a batch of usage is known to have been added; who adds one again does it within minutes. */
  usageBatchKeptMs: 7 * 86_400_000,
  /** How often those that are older are deleted. */
  usageBatchCleanupMs: 3_600_000,
} as const;
