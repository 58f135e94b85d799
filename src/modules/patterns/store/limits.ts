/** Limits of learned patterns. Each name has its unit. */
export const limits = {
  /** Patterns of one account: all are searched in memory, a kilobyte each. */
  patternsMax: 10_000,
  /** Accounts whose patterns are in memory, and the total number of patterns. */
  cachedPatternOwnersMax: 200,
  cachedPatternsMax: 50_000,
  /** Patterns in one part of a load. */
  patternsLoadedAtOnce: 500,
  /** Larger sets are reloaded in the background while calls use the old ones. */
  patternsReadAtOnce: 500,
  /** How late a process sees changes of another. */
  patternsFreshMs: 1000,
  /** After this time a call waits for the reload. */
  patternsStaleMs: 10_000,
  /** Unconfirmed candidates of one end user, and of an account. */
  patternCandidatesOfUserMax: 50,
  patternCandidatesMax: 1000,
  /** Patterns learned from one end user, confirmed or not: no single user can fill the account's store. */
  patternsOfUserMax: 200,
  /** A longer note is a report, not a lesson. */
  outcomeLessonCharactersMax: 300,
  /** The latest source calls, conversations and history entries of a pattern. */
  patternEvidenceMax: 20,
  patternStoryMax: 50,
  /** How long the conversation of a call, and the trials in it, are stored. */
  patternTrialLifeMs: 30 * 86_400_000,
  /** Names of conversations are shorter. */
  conversationCharactersMax: 128,
  /** Texts and lists of a pattern from another instance: more than any of ours has. */
  patternTextCharactersMax: 4000,
  patternListMax: 200,
  /** Maximum length of the fingerprint of a pattern. */
  patternFingerprintMax: 200,
} as const;
