/** Modules: storage and time. */
export const modulesLimits = {
  /** SPEC allows a key 8,000 characters of pipeline; a header gets no more. */
  pipelineTextMax: 8000,
  /** Compiled pipelines in the cache; a client that invents lists can't grow memory. */
  compiledPipelinesMax: 500,
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
  /** Entries on one page, 25 MiB of memory at most. */
  modulePageMax: 100,
  /** Entries deleted in one transaction; the largest take a tenth of a second. */
  moduleEntriesDeletedAtOnce: 100,
  /** How long a module may delay a call without a break, not counting the time it waits for inner modules. */
  moduleDeadlineMs: 30_000,
  /** Interval between deadline checks. */
  moduleDeadlineCheckMs: 100,
  /** How long a module may go on reading a reply after its call has ended. */
  moduleLateReadMs: 600_000,
  /** Attempts in one call: more means that a module loops. */
  attemptsMax: 100,
  /** Tool rounds for one answer. */
  toolRoundsMax: 8,
  /** Timeout of a gateway tool; shorter than a module's deadline, so that the model gets the error. */
  toolAnswerMs: 20_000,
  /** The minimum output limit: some providers reject a lower one. */
  toolRoundTokensMin: 16,
  /** Background tasks: concurrency, queue length and timeout. */
  backgroundTasksAtOnce: 8,
  backgroundTasksWaiting: 1000,
  backgroundTaskMs: 120_000,
  /** One cached value in Redis: a long conversation with images, and a tenth of a second of network time. */
  cacheValueBytesMax: 8 * 1024 * 1024,
  /** Bytes in flight to such a cache; further values are not cached. */
  cachePendingBytesMax: 64 * 1024 * 1024,
  /** Cached request keys. */
  cachedRequestKeysMax: 1000,
  /** The same body may come from several callers and for several models: this many variants are cached. */
  requestKeyVariantsMax: 8,
} as const;
