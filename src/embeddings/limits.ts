/** Limits of embeddings and local models. Each name has its unit. */
export const limits = {
  /** Default timeout of a call for embeddings or a vector search. */
  embeddingDeadlineMs: 300,
  /** Start timeout of the embedding process; it takes half a second. */
  embedderStartMs: 15_000,
  /**
   * Requests with a shorter deadline come from calls, which don't wait for the start. Background tasks have 15 s in
   * all.
   */
  embedderPatientMs: 12_000,
  /**
   * Maximum backlog for a call to wait behind: a third of its deadline within these limits. With more, the call continues
   * without the models.
   */
  embedderBacklogMsMin: 100,
  embedderBacklogMsMax: 400,
  /** Queued texts and pairs, including those of background tasks. */
  embedderWaitingMax: 512,
  /** Texts sent to the process at once, so that it never idles. */
  embedderInFlight: 2,
  /** One text takes 100 ms at most; a process that takes this long hangs, and is killed. */
  embedderStuckMs: 10_000,
  /** Backoff after the process has crashed, minimum and maximum; reset after this much steady work. */
  embedderRestMsMin: 1000,
  embedderRestMsMax: 60_000,
  embedderSteadyMs: 60_000,
  /** Retry interval after the process reported that it can't run here. */
  embedderUnusableMs: 600_000,
  /** How much of the start and of the end of a longer text is used: more than the models read of either. */
  embeddedCharacters: { beginning: 8000, end: 2000 },
  /** The part of a text that is sent to a text model, which reads a window of it: more than 126 tokens of any prose. */
  windowCharactersMax: 2000,
  /** About as much as a window has. */
  windowCharacters: 500,
  /** Windows that a text model reads of a text: 150 to 200 kilobytes. */
  windowsMax: 400,
  /** Of longer texts, the tagger reads the windows with words that may be names. */
  taggedAlwaysCharacters: 2000,
  /** Results of the text models that a process remembers, in texts and tagged words of a hundred bytes. */
  rememberedReadingsMax: 40_000,
  /** Text vectors cached by a process, two kilobytes each. */
  cachedVectorsMax: 2000,
  /** Vectors of public texts, half a kilobyte each: the tools of hundreds of servers. */
  storedTextVectorsMax: 50_000,
  /** Public vectors are recomputed after this time, which costs a few milliseconds per season. */
  storedTextVectorLifeMs: 90 * 86_400_000,
  /** Memory of a process for vector search; the least recently used partitions are read again. */
  vectorBytesMax: 48 * 1024 * 1024,
  /** Partitions in memory, most of them small. */
  vectorPartsMax: 5000,
  /** A search looks for vectors added by other processes if the last look was this long ago. */
  vectorsFreshMs: 1000,
  /** Blocks of six kilobytes searched before yielding: a millisecond's work or less. */
  vectorSlabsAtOnce: 1000,
  /** A search looks up this many extra matches, since some may have been deleted. */
  vectorsSpare: 4,
  /** Matches of one search, or vectors removed at once. */
  vectorMatchesMax: 100,
  vectorNameCharactersMax: 128,
  /** Data stored with a vector: a reference, not the content itself. */
  vectorDataBytesMax: 4096,
  /** Interval between deletions of expired vectors. */
  vectorsTidyMs: 300_000,
} as const;
