/** What is told of calls. */
export const logLimits = {
  /** Models get a label of their own in metrics up to this many; then they are counted as "other". */
  metricModelsMax: 200,
  /** Combinations of format, provider, status and model that are kept bound to their counters. */
  metricBindingsMax: 5000,
  /** Of the names that a body had no place for, this many are told, this much of each. */
  reportedFieldsMax: 5,
  reportedFieldCharacters: 100,
  /** What is wrong with a stored pipeline fits into a header that any proxy passes on. */
  warningCharactersMax: 1000,
  /** Log lines that wait for a slow reader of our output; what comes on top is lost. */
  logLinesBytesWaiting: 16 * 1024 * 1024,
  /** How late a line is written where others came just before it: together they cost a fraction. */
  logLinesBatchMs: 250,
  /** When the reader of our output is behind, the next try comes this much later; the pauses double while nothing moves. */
  logReaderBehindMsMin: 1,
  logReaderBehindMsMax: 64,
  /** When an output refuses lines, as a full disk does, the next try comes this much later. */
  logOutputBrokenMs: 250,
  /** What is written before calls get their turn, a fraction of a millisecond's work. */
  logBytesAtOnce: 1024 * 1024,
  /** At the end of the process a reader that takes something at least this often is waited for, */
  logReaderStillMs: 1000,
  /** but no longer than this: who stops the gateway waits, too. */
  logLastLinesMs: 5000,
  /** How deep and how wide facts are written down, and how many causes of an error: more is nobody's to read. */
  logAttributesDepthMax: 5,
  logAttributesMax: 100,
  logCausesMax: 10,
  /** How late a call is in the request log. */
  requestLogFlushMs: 500,
  /** A line of the journal takes microseconds. Where it takes this long the disk is too busy, and is let alone for a while. */
  journalSlowMs: 200,
  /** On one machine calls share a write for so long; with replicas each is written before its client has the end of its answer. */
  journalDelayMs: 2,
  journalRestMs: 30_000,
  /** How long a process may write to a page before it sees that another has taken it over, */
  journalTakeoverMs: 20,
  /** and how long that one waits for these last lines. */
  journalLastLinesMs: 100,
  /** Calls that are stored in one statement, ten milliseconds of the database's time. */
  requestLogRowsAtOnce: 500,
  /** Calls that wait to be stored, a kilobyte each: half a minute of a thousand a second. More are not logged. */
  requestLogRowsWaiting: 30_000,
  /** How long a failed try to store them rests at most, and how often the database may refuse them. */
  requestLogRetryMsMax: 5000,
  requestLogRefusalsMax: 3,
  /** Who reads the log waits this long for the latest calls to be stored. */
  requestLogReadFlushMs: 1000,
  /** Of what clients and modules word, this much is kept: a million calls must stay within a gigabyte or so. */
  requestLogPipelineCharacters: 1000,
  requestLogStepsMax: 32,
  requestLogAttributesMax: 8,
  requestLogAttributeCharacters: 100,
  requestLogChangesMax: 16,
  /** Calls on one page. */
  requestLogPageMax: 200,
  /** Calls that are counted or looked through in one statement, a few milliseconds of the database's time. */
  requestLogSearchRows: 5000,
  /** How long a search for what is rare goes on before it tells what it found. */
  requestLogSearchMs: 120,
  /** Kinds of calls whose names a process remembers: half a kilobyte each. */
  cachedRequestKindsMax: 5000,
  /** Of so many kinds the newest call is looked for one by one, five microseconds each; where more are meant, calls are looked through. */
  requestKindsMax: 5000,
  /** Sums are kept by the minute for so long, then by the quarter of an hour, by the hour, by the day: a day's chart has half hours, a week's three hours. */
  requestSumsByMinuteMs: 3 * 3_600_000,
  requestSumsByQuarterMs: 26 * 3_600_000,
  requestSumsByHourMs: 9 * 86_400_000,
  /** Sums are read anew where some were moved meanwhile, which happens every quarter of an hour. */
  requestSumsReadings: 4,
  /** How often the log is cleaned, and how long nobody else does it then. */
  requestLogCleanupMs: 60_000,
  requestLogCleanerMs: 120_000,
  /** Calls that are deleted in one statement, and the pause after it, in which others have their turn. */
  requestLogDeletedAtOnce: 500,
  requestLogDeletePauseMs: 50,
} as const;
