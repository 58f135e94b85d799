/** Modules: what they may keep, and how long they may take. */
export const modulesLimits = {
  /** SPEC allows a key 8,000 characters of pipeline; a header gets no more. */
  pipelineTextMax: 8000,
  /** Distinct pipeline lists kept compiled; a client that invents lists can't grow memory. */
  compiledPipelinesMax: 500,
  /** Memory that modules share for what they keep. */
  cacheBytesMax: 64 * 1024 * 1024,
  /** Names of modules and tenants; PostgreSQL has 2,700 bytes for both and a key, and a character takes up to three. */
  moduleStoreNameCharactersMax: 128,
  moduleKeyCharactersMax: 512,
  /** A value that a module stores: a summary or a list of decisions, and a few milliseconds of the database's time. */
  moduleValueBytesMax: 256 * 1024,
  /** Entries of one module for one tenant: whatever clients do, they fill no more than their own share. */
  moduleEntriesMax: 100_000,
  /** Entries on one page, 25 MiB of memory at the very most. */
  modulePageMax: 100,
  /** Entries that are deleted in one transaction; the largest take a tenth of a second. */
  moduleEntriesDeletedAtOnce: 100,
  /** How long a module may keep a call waiting at a stretch, what it waits for further in not counted. */
  moduleDeadlineMs: 30_000,
  /** How often it is looked whether somebody takes too long. */
  moduleDeadlineCheckMs: 100,
  /** How long a module may go on reading an answer of a call that is over. */
  moduleLateReadMs: 600_000,
  /** Answers that providers may be asked for in one call: more is a module that goes round in circles. */
  attemptsMax: 100,
  /** How often a model may be asked for one answer because it calls tools that the gateway answers. */
  toolRoundsMax: 8,
  /** How long such a tool may take; shorter than a module may keep a call waiting, so that the model hears of it. */
  toolAnswerMs: 20_000,
  /** Nothing is said in fewer tokens, and some providers refuse a lower limit. */
  toolRoundTokensMin: 16,
  /** Work of modules for after their calls: what runs at once, what may wait, and how long one piece may take. */
  backgroundTasksAtOnce: 8,
  backgroundTasksWaiting: 1000,
  backgroundTaskMs: 120_000,
  /** One value of a shelf in Redis: a long conversation with pictures, and a tenth of a second of the network. */
  cacheValueBytesMax: 8 * 1024 * 1024,
  /** Bytes on their way to such a shelf; what comes on top is not kept. */
  cachePendingBytesMax: 64 * 1024 * 1024,
  /** Requests whose meaning is remembered. */
  cachedRequestKeysMax: 1000,
  /** The same bytes may come from several callers, and for several models: this many are told apart without working them out. */
  requestKeyVariantsMax: 8,
} as const;
