/** Logs, metrics and the request log. */
export const logLimits = {
  /** Models with their own metric label; further ones are counted as "other". */
  metricModelsMax: 200,
  /** Combinations of format, provider, status and model whose counters are cached. */
  metricBindingsMax: 5000,
  /** How many dropped field names are reported, and how much of each. */
  reportedFieldsMax: 5,
  reportedFieldCharacters: 100,
  /** Issues of a stored pipeline must fit in a header that any proxy passes on. */
  warningCharactersMax: 1000,
  /** Log lines buffered for a slow reader of our output; further ones are lost. */
  logLinesBytesWaiting: 16 * 1024 * 1024,
  /** Delay of a line that follows others, since writing them together costs a fraction. */
  logLinesBatchMs: 250,
  /** Backoff when the reader of our output is slow; doubles while nothing moves. */
  logReaderBehindMsMin: 1,
  logReaderBehindMsMax: 64,
  /** Backoff when an output rejects lines, as a full disk does. */
  logOutputBrokenMs: 250,
  /** Bytes written before calls get a turn, a fraction of a millisecond's work. */
  logBytesAtOnce: 1024 * 1024,
  /** At exit, wait for a reader that makes progress at least this often, */
  logReaderStillMs: 1000,
  /** but no longer than this, since the shutdown waits, too. */
  logLastLinesMs: 5000,
  /** Depth and width of logged attributes, and the number of an error's causes. */
  logAttributesDepthMax: 5,
  logAttributesMax: 100,
  logCausesMax: 10,
  /** Delay before a call appears in the request log. */
  requestLogFlushMs: 500,
  /** A journal line takes microseconds. If it takes this long, the disk is too busy and the journal pauses. */
  journalSlowMs: 200,
  /**
   * How long calls on one machine share a journal write; with replicas each is written before its client gets the end
   * of its answer.
   */
  journalDelayMs: 2,
  journalRestMs: 30_000,
  /** How long a process may write to a page before it notices that another has taken it over, */
  journalTakeoverMs: 20,
  /** and how long that other waits for these last lines. */
  journalLastLinesMs: 100,
  /** Calls stored in one statement, ten milliseconds of database time. */
  requestLogRowsAtOnce: 500,
  /**
   * Calls waiting to be stored, a kilobyte each: half a minute at a thousand per second. Further ones are not logged.
   */
  requestLogRowsWaiting: 30_000,
  /** Maximum backoff after a failed write, and how often the database may reject a batch. */
  requestLogRetryMsMax: 5000,
  requestLogRefusalsMax: 3,
  /** How long a reader of the log waits for the latest calls to be stored. */
  requestLogReadFlushMs: 1000,
  /** Stored lengths of texts from clients and modules: a million calls must fit in about a gigabyte. */
  requestLogPipelineCharacters: 1000,
  requestLogStepsMax: 32,
  requestLogAttributesMax: 8,
  requestLogAttributeCharacters: 100,
  requestLogChangesMax: 16,
  /** Calls on one page. */
  requestLogPageMax: 200,
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
  /**
   * Sums are kept by minute, quarter hour, hour and day, for these times: a chart of a day has half hours, one of a
   * week three hours.
   */
  requestSumsByMinuteMs: 3 * 3_600_000,
  requestSumsByQuarterMs: 26 * 3_600_000,
  requestSumsByHourMs: 9 * 86_400_000,
  /** Retries when sums were merged during a read, which happens every quarter of an hour. */
  requestSumsReadings: 4,
  /** Interval between cleanups of the log, and the lease of a cleanup. */
  requestLogCleanupMs: 60_000,
  requestLogCleanerMs: 120_000,
  /** Calls deleted in one statement, and the pause after it, in which others get a turn. */
  requestLogDeletedAtOnce: 500,
  requestLogDeletePauseMs: 50,
} as const;
