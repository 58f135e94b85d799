/** Bounds of this module's work on one call. */
export const limits = {
  /** Characters of user text used to find relevant patterns. */
  userTextCharactersMax: 4000,
  /** Nearest patterns to consider. */
  nearPatternsMax: 20,
  /** Patterns near a lesson that the judge compares with it. */
  samePatternCandidatesMax: 5,
  /** Patterns embedded after one call. */
  vectorsAtOnce: 16,
  /** The TTL of a pattern's vector: patterns have no expiry. */
  vectorLifeSeconds: 10 * 365 * 86_400,
  /** Characters of tool output that are analyzed. */
  outputCharactersMax: 20_000,
  /** Newest messages that are searched for lessons. */
  messagesScannedMax: 60,
  /** Lessons per call. */
  lessonsMax: 5,
  /** Lessons per call that a model phrases. */
  wordingsMax: 1,
  /** A correction is short; a longer text is a new task. */
  correctionCharactersMax: 300,
  adviceCharactersMax: 400,
  /** Characters of a pattern's topic in its advice line. */
  topicCharactersMax: 100,
  /** Argument names and changes in one advice. */
  changesMax: 4,
  /** Patterns indexed without yielding: five milliseconds on a busy machine. */
  indexedAtOnce: 100,
  /** Tenants whose pattern indexes are cached. */
  indexesMax: 200,
  /** Words in more patterns than this number and this share of them are not indexed. */
  commonWordPatternsMin: 30,
  commonWordShare: 0.005,
} as const;
