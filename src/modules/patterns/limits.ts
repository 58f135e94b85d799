/** Bounds of this module's work on one call. */
export const limits = {
  /** Characters of what a person says that are looked at for what is relevant. */
  userTextCharactersMax: 4000,
  /** Characters of a text that are read at all. */
  readCharactersMax: 65_536,
  /** Patterns near a text that are looked at. */
  nearPatternsMax: 20,
  /** Of those near a lesson, so many are asked about. */
  samePatternCandidatesMax: 5,
  /** Patterns that get their vectors after one call. */
  vectorsAtOnce: 16,
  /** A vector is kept as long as its pattern, which nobody says the end of. */
  vectorLifeSeconds: 10 * 365 * 86_400,
  /** Characters of what a tool said that are looked at. */
  outputCharactersMax: 20_000,
  /** Messages back from the newest that lessons are looked for in. */
  messagesScannedMax: 60,
  /** Lessons of one call. */
  lessonsMax: 5,
  /** Lessons of one call that a model is asked to word. */
  wordingsMax: 1,
  /** A correction is short; a longer text is a new task. */
  correctionCharactersMax: 300,
  adviceCharactersMax: 400,
  /** Of what a pattern is about, beside its advice. */
  topicCharactersMax: 100,
  /** Argument names and changes that one advice tells of. */
  changesMax: 4,
  /** Patterns that are sorted in one go: five milliseconds on a busy machine. */
  indexedAtOnce: 100,
  /** Tenants whose patterns are kept sorted. */
  indexesMax: 200,
  /** A word that more patterns have than this, or than this share of them, is not looked for. */
  commonWordPatternsMin: 30,
  commonWordShare: 0.005,
} as const;
