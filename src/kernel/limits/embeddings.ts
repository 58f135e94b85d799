/** Vectors: who makes them, and where they are kept. */
export const embeddingsLimits = {
  /** How long a call waits for vectors of its texts, or for a search in them, unless its module says otherwise. */
  embeddingDeadlineMs: 300,
  /** Until the process that makes vectors is ready; it takes half a second. */
  embedderStartMs: 15_000,
  /** A shorter deadline is a call's, which doesn't wait for the start. Work after calls has 15 s, less what it has used of them. */
  embedderPatientMs: 12_000,
  /** What it has to do already when a call comes that would wait behind it: more, and the call goes on without. */
  embedderBacklogMs: 100,
  /** Texts and pairs that wait for it, those of work after calls included. */
  embedderWaitingMax: 512,
  /** So many it has at once, so that the next is there when one is done. */
  embedderInFlight: 2,
  /** One text takes 100 ms at most; who takes this long hangs, and is killed. */
  embedderStuckMs: 10_000,
  /** How long it rests after it ended by itself, from the first time to the longest; after so much steady work all is forgotten. */
  embedderRestMsMin: 1000,
  embedderRestMsMax: 60_000,
  embedderSteadyMs: 60_000,
  /** How long nobody tries again where it said that it can't run here. */
  embedderUnusableMs: 600_000,
  /** Of a longer text so much of its beginning and of its end is looked at: more than its models read of either. */
  embeddedCharacters: { beginning: 8000, end: 2000 },
  /** Vectors of texts that a process remembers, two kilobytes each. */
  cachedVectorsMax: 2000,
  /** Vectors of texts that are nobody's secret, half a kilobyte each: the tools of hundreds of servers. */
  storedTextVectorsMax: 50_000,
  /** They are made again after this: a text that is still in use costs a few milliseconds in a season. */
  storedTextVectorLifeMs: 90 * 86_400_000,
  /** Texts in one question to a provider of vectors. */
  embeddedAtOnce: 100,
  /** Values of one vector; the largest models have 4,096. */
  vectorValuesMax: 4096,
  /** Memory of a process for vectors that are searched in; those of the least recently used parts are read again. */
  vectorBytesMax: 48 * 1024 * 1024,
  /** Parts that are kept in memory, most of them small. */
  vectorPartsMax: 5000,
  /** What others added is looked for when a part is searched and that was last done so long ago. */
  vectorsFreshMs: 1000,
  /** Pieces of memory, of six kilobytes, that are searched before others get their turn: a millisecond's work or less. */
  vectorSlabsAtOnce: 1000,
  /** Of those that were found, so many more are looked up than were asked for: some may be gone. */
  vectorsSpare: 4,
  /** Vectors that one search finds, or that are removed at once. */
  vectorMatchesMax: 100,
  vectorNameCharactersMax: 128,
  /** What comes back with a vector: where something is, not the thing itself. */
  vectorDataBytesMax: 4096,
  /** Rows of vectors that are read, or deleted, in one statement: a millisecond of this thread, or five where they are very large. */
  vectorRowsAtOnce: 100,
  /** How often vectors whose time is over are deleted. */
  vectorsTidyMs: 300_000,
} as const;
