/** Limits of the stores. Each name has its unit. */
export const limits = {
  /** Batches that are looked at, and calls of batches that are deleted, at once. */
  ownBatchesAtOnce: 100,
  ownBatchLinesAtOnce: 500,
  /** Recordings that are read or deleted at once, and bytes of them in one statement. */
  recordingRowsAtOnce: 100,
  recordingBytesAtOnce: 1024 * 1024,
  /** The last days whose growth a report of the storage has, and how long its statements may take. */
  storageGrowthMs: 7 * 86_400_000,
  storageReportMs: 120_000,
  /** Recordings that a filtered list looks at in one statement, and for one page. */
  recordingSearchRows: 2000,
  recordingSearchSteps: 5,
  /** Turns that clients continue from by id are stored as long as by the original API. */
  turnLifeSeconds: 30 * 86_400,
  /** Calls stored in one transaction: SQLite lets others wait meanwhile, and PostgreSQL adds up sums of many calls. */
  sqliteCallsAtOnce: 1000,
  postgresCallsAtOnce: 2000,
  /** Calls counted or scanned in one statement, a few milliseconds of database time. */
  requestLogSearchRows: 5000,
  /** How long a search for rare calls runs before it returns what it has. */
  requestLogSearchMs: 120,
  /** Cached names of call kinds, half a kilobyte each. */
  cachedRequestKindsMax: 5000,
  /**
   * Up to this many kinds, the newest call of each is looked up, five microseconds each; for more, calls are scanned.
   */
  requestKindsMax: 5000,
  /** For more kinds than this, the newest calls are scanned first: calls of many kinds are rarely far apart. */
  requestKindsFew: 300,
  /** How many steps of that scan there are. */
  requestLogFirstSteps: 2,
  /** Retries when sums were merged during a read, which happens every quarter of an hour. */
  requestSumsReadings: 4,
  /** Accounts whose conversations are listed together, where one person may see all: a local gateway has one or two. */
  conversationAccountsMax: 50,
  /** How long the ids of calls without a row are stored; retries and journals come within minutes. */
  requestIdsKeptMs: 86_400_000,
  /** Partitions of the request log that are created ahead, so that a day without a cleanup does no harm. */
  partitionsAhead: 3,
  /** How long creating and dropping partitions waits for a lock, with all users of the log queued behind it. */
  partitionLockMs: 300,
  /** The share of free pages from which an SQLite file shrinks, and pages of 4 KiB freed in one step and one cleanup. */
  fileFreeShareMax: 0.25,
  fileShrinkPages: 500,
  fileShrinkPagesMax: 25_000,
  /** Memory of the cache that modules share. */
  cacheBytesMax: 64 * 1024 * 1024,
  /**
   * Length of module names and scopes; PostgreSQL indexes 2,700 bytes for both and a key, and a character takes up to
   * three.
   */
  moduleStoreNameCharactersMax: 128,
  moduleKeyCharactersMax: 512,
  /** A value in a module store: a summary or a list of decisions, and a few milliseconds of database time. */
  moduleValueBytesMax: 256 * 1024,
  /** Entries of one module for one tenant: clients can fill only their own share. */
  moduleEntriesMax: 100_000,
  /** Entries deleted in one transaction; the largest take a tenth of a second. */
  moduleEntriesDeletedAtOnce: 100,
  /**
   * Lengths of an entry's key and text fields in a collection: with the names, PostgreSQL can index them (2,700
   * bytes, up to three a character).
   */
  collectionKeyCharactersMax: 200,
  collectionTextCharactersMax: 256,
  /** A text up to this length is compressed at once, in less than a millisecond. */
  compressedAtOnceChars: 16_384,
  /** A sealed value, unpacked: no compressed text fills the memory. The largest bodies of clients are smaller. */
  unpackedValueBytesMax: 256 * 1024 * 1024,
  /** The same of an import, whose sender chooses it. */
  movedContentBytesMax: 64 * 1024 * 1024,
  /** Rows of an import that are written in one transaction: others wait for some ten milliseconds. */
  importedRowsAtOnce: 500,
  /** How long an import without a sign of life is left alone: longer than a client may pause. */
  importSilenceMs: 15 * 60_000,
  /** Revoked API keys that an account may bring with it. */
  importedKeysMax: 1000,
  /** Projects of an account that gets some from a file. */
  importedProjectsMax: 5000,
  /** A prompt that an account brings with it: its name and labels, the number of a version, and a content as JSON. */
  promptWordCharactersMax: 64,
  promptVersionMax: 999_999_999,
  promptContentCharactersMax: 4 * 1024 * 1024,
  /** A list of a key's access rules as JSON: 8,000 characters, which may be escaped. */
  accessListJsonCharactersMax: 64 * 1024,
  /** Kinds of calls whose names an import remembers, so that it writes each once. */
  importedKindsKnown: 5000,
  /** Entries that are written in one statement. */
  collectionEntriesWrittenAtOnce: 100,
  /** Entries that are deleted in one transaction, and the interval between deletions of expired ones. */
  collectionEntriesDeletedAtOnce: 100,
  collectionTidyMs: 300_000,
  /** Rounds of one such deletion; the rest waits for the next. */
  collectionTidyRoundsMax: 100,
  /** One cached value in Redis: a long conversation with images, and a tenth of a second of network time. */
  cacheValueBytesMax: 8 * 1024 * 1024,
  /** Bytes in flight to such a cache; further values are not cached. */
  cachePendingBytesMax: 64 * 1024 * 1024,
  /** Memory to make the key of a backup from its passphrase; an own backup takes 128 MiB. */
  backupKeyBytesMax: 4 * 1024 * 1024 * 1024,
  /** A shorter passphrase of a backup can be guessed. */
  backupPassphraseCharactersMin: 16,
  /** PostgreSQL connections of one process; its default allows 100 in all, so that ten replicas fit, and one more during an update. */
  databaseConnectionsMax: 8,
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
  /** Cached prepared statements; batches have as many shapes as sizes. */
  preparedStatementsMax: 200,
  /** How long the id of an added batch is stored; retries come within minutes. */
  usageBatchKeptMs: 7 * 86_400_000,
  /** Values of a tag that have sums of their own on a day, and those of all tags of an account: a unique id in each call makes no more. */
  tagValuesPerDay: 100,
  tagDayRows: 2000,
  /** Sums by tag are for reports of the last year; bills and ceilings need a month. */
  tagDaysKeptMs: 400 * 86_400_000,
  /** The longest windows of budgets have 31 days. */
  budgetHoursKeptMs: 35 * 86_400_000,
  /** Interval between deletions of older ones. */
  usageBatchCleanupMs: 3_600_000,
  /** Interval between measurements of the shared clock, and the slowest answer that improves on the previous one. */
  clockMeasureMs: 15_000,
  clockTripMsMax: 1000,
  /** From this difference on, the clock of this machine is reported as wrong: no NTP client lets it grow so large. */
  clockSkewMsMax: 2000,
  /** Timeout of Redis, which normally responds in a millisecond; leaves room for slow moments of a machine. */
  redisAnswerMs: 3000,
  /** Concurrent requests to Redis; with more it is overloaded. */
  redisPendingMax: 10_000,
  /** Reconnect delays, minimum and maximum. */
  redisRetryMsMin: 50,
  redisRetryMsMax: 2000,
  /** Interval between looks at the nodes of a Redis cluster: an idle process must notice a failover before the next one. */
  redisClusterReadMs: 10_000,
  /** How long Redis stores an account's version; after that, lookups are repeated. */
  versionLifeMs: 7 * 86_400_000,
  /** Accounts whose version changes are replayed when Redis is back; each is a manual change. */
  pendingRenewalsMax: 10_000,
  /** Accounts whose counts are in memory, 300 bytes each; those of others are read from the database again. */
  countedAccountsMax: 100_000,
  /** Lifetime of a process's in-flight report; billing renews it three times as often. */
  inFlightLifeMs: 60_000,
  /** Attempt windows in memory; clients choose the names, and the oldest goes first. */
  rateLimitWindowsMax: 100_000,
  /** Lifetime of a process's report on a target: longer than any wait that providers ask for. */
  healthLifeMs: 3_600_000,
  /** Targets with reports in memory, a kilobyte each; the one without a report for the longest time goes first. */
  healthNamesMax: 10_000,
  /** Counts of modules in memory, 400 bytes each. */
  countersMax: 100_000,
  /** Callers with rate limits in memory, a kilobyte each; the one without a call for the longest time goes first. */
  ratedCallersMax: 100_000,
  /** Shared documents that a process knows, half a kilobyte each; others are read again. */
  knownDocumentsMax: 20_000,
  /** How often a change of a shared document is tried: each time one of the processes that want it succeeds. */
  documentTries: 100,
  /** Interval between deletions of expired shared documents. */
  documentTidyMs: 300_000,
  /** Window of `givenBackPerMinute`. */
  givenBackWindowMs: 60_000,
  /** A budget unused for this long is loaded from the database again, which is complete by then. */
  budgetIdleMs: 3_600_000,
  /** Keys whose spending is in memory, 300 bytes each; that of others is read from the database again. */
  budgetsMax: 100_000,
} as const;
