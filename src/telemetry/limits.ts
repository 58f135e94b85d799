/** Limits of logs, metrics and the request log. Each name has its unit. */
export const limits = {
  /** How long one check of the diagnostics may take: all of them run at once. */
  checkMs: 1500,
  /** Models outside of the catalog with their own metric label; further ones are counted as "other". */
  metricModelsMax: 200,
  /** Values of a tag with their own metric label; further ones are counted as "other". */
  metricTagValuesMax: 100,
  /** Combinations of format, provider, status and model whose counters are cached. */
  metricBindingsMax: 5000,
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
  /** Refused requests of one status and code that get a line each in an interval; the others are counted in one line. */
  refusalLines: 5,
  refusalIntervalMs: 10_000,
  /** Length of a client's own request id in the log. */
  clientRequestIdCharacters: 128,
  /** Interval between log lines about the faults of one reporter. */
  reporterFaultLogMs: 60_000,
  /** Delay before a call appears in the request log. */
  requestLogFlushMs: 500,
  /** How long a process may write to a page before it notices that another has taken it over, */
  journalTakeoverMs: 20,
  /** and how long that other waits for these last lines. */
  journalLastLinesMs: 100,
  /** Memory of calls that wait to be stored: a minute at a thousand per second. Further ones are not logged. */
  requestLogBytesWaiting: 64 * 1024 * 1024,
  /** Failed calls that are read where sums can't tell a filter: pages, each searched for an eighth of a second at most. */
  errorPagesMax: 8,
  errorPageCalls: 500,
  /** How long calls for another system wait for more, and how many it gets at once: a second of inserts, a minute of objects. */
  clickHouseFlushMs: 1000,
  clickHouseCallsAtOnce: 5000,
  /** How long ClickHouse may work on a page or a summary, and how much of its error message is logged. */
  clickHouseReadSeconds: 20,
  clickHouseErrorCharacters: 300,
  s3FlushMs: 60_000,
  s3CallsAtOnce: 20_000,
  logFolderFlushMs: 1000,
  logFolderCallsAtOnce: 5000,
  /** How long after its maximum age a file may still be written to, or compressed. */
  logFolderLastWriteMs: 600_000,
  /** Maximum backoff after such a system failed. */
  logSinkRetryMsMax: 30_000,
  /** Spans that wait for a collector: ten seconds of a thousand calls per second with ten modules. Further ones are dropped. */
  otlpBytesWaiting: 32 * 1024 * 1024,
  /** A batch is sent when it has this size, which the default limits of collectors and proxies accept. */
  otlpBatchBytes: 768 * 1024,
  /** Maximum backoff after a collector failed, unless the interval is longer, and the longest that it may ask to wait. */
  otlpRetryMsMax: 30_000,
  otlpRetryAfterMsMax: 60_000,
  /** Size of a collector's response, and how much of its message is logged. */
  otlpResponseBytesMax: 64 * 1024,
  otlpMessageCharacters: 300,
  /** Length of texts in attributes, and the number of series and of types of errors in metrics; further ones are `other`. */
  otlpAttributeCharacters: 1024,
  otlpSeriesMax: 1000,
  otlpErrorTypesMax: 50,
  /** Of the content in a span: the length of an attribute and of one part in it, and the size of the bodies that are read for it. */
  otlpContentCharacters: 64 * 1024,
  otlpContentPartCharacters: 16 * 1024,
  otlpContentBytesRead: 1024 * 1024,
  /** How many buffers of sent batches are kept for further ones, and how large such a buffer may be. */
  otlpSpareBuffers: 2,
  otlpSpareBufferBytes: 2 * 1024 * 1024,
  /** How long the last metrics may take at the shutdown. */
  otlpLastMetricsMs: 2000,
  /** Maximum backoff after a failed write. */
  requestLogRetryMsMax: 5000,
  /** How long a reader of the log waits for the latest calls to be stored. */
  requestLogReadFlushMs: 1000,
  /** Names of what modules count that have series of their own; the rest are `other`. */
  countNamesMax: 200,
  /** Stored lengths of texts from clients and modules: a million calls must fit in about a gigabyte. */
  requestLogPipelineCharacters: 1000,
  requestLogStepsMax: 32,
  requestLogAttemptsMax: 32,
  requestLogAttributesMax: 8,
  requestLogAttributeCharacters: 100,
  /** Explanations of errors in the request log; longer ones are cut. */
  requestLogMessageCharacters: 300,
  requestLogChangesMax: 16,
  /** Prompts of one session that take turns, such as subagents: the latest are remembered. */
  conversationPromptsMax: 64,
  /** A provider's cache is broken if a call lost at least so many tokens of it and such a share; less is the rounding of a provider. */
  cacheBreakTokensMin: 1024,
  cacheBreakShareMin: 0.1,
  /** A request of less than this share of the one before has a shortened history: thoughts that are left out are less. */
  shortenedShareMax: 0.7,
  /**
   * Sums are kept by minute, quarter hour, hour and day, for these times: a chart of a day has half hours, one of a
   * week three hours.
   */
  requestSumsByMinuteMs: 3 * 3_600_000,
  requestSumsByQuarterMs: 26 * 3_600_000,
  requestSumsByHourMs: 9 * 86_400_000,
  /** How often the totals of days are compared with the sums they are made of. */
  requestTotalsMs: 3_600_000,
  /** Interval between cleanups of the log, and the lease of a cleanup. */
  requestLogCleanupMs: 60_000,
  requestLogCleanerMs: 120_000,
  /** Calls deleted in one statement, at least and at most, and how long it may take; then others get as long a turn. */
  requestLogDeletedMin: 500,
  requestLogDeletedMax: 8000,
  requestLogDeleteMsMax: 50,
  /** Accounts with a retention of their own: how many are read at a time, and how often their calls are deleted. */
  retentionAccountsAtOnce: 500,
  retentionAccountsMs: 3_600_000,
  /** Calls retained by default in a file on one machine, half a gigabyte; PostgreSQL has no such bound. */
  requestLogEmbeddedRows: 1_000_000,
} as const;
