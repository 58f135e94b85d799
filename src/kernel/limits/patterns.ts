/** What accounts learn. */
export const patternsLimits = {
  /** Patterns of one account: all of them are in memory where they are looked through, a kilobyte each. */
  patternsMax: 10_000,
  /** Accounts whose patterns are in memory, and all patterns of these together. */
  cachedPatternOwnersMax: 200,
  cachedPatternsMax: 50_000,
  /** More than these are read again while calls go on with what was known. */
  patternsReadAtOnce: 500,
  /** How late a process sees what another has changed in them. */
  patternsFreshMs: 1000,
  /** Past this a call waits for it. */
  patternsStaleMs: 10_000,
  /** Candidates that nothing has confirmed: of one end user, and of an account. */
  patternCandidatesOfUserMax: 50,
  patternCandidatesMax: 1000,
  /** What was learned from one end user, confirmed or not: nobody fills the account's book alone. */
  patternsOfUserMax: 200,
  /** A note that is longer is a report, and no lesson. */
  outcomeLessonCharactersMax: 300,
  patternTriggerCharactersMax: 1000,
  patternAdviceCharactersMax: 2000,
  patternNamesMax: 20,
  patternNameCharactersMax: 200,
  patternFingerprintMax: 200,
  /** Patterns on one page, and in one import. */
  patternPageMax: 200,
  patternImportMax: 10_000,
  /** As many of the usual size. */
  patternImportBytesMax: 8 * 1024 * 1024,
  /** Calls that a pattern came from, conversations, and what became of it: the latest of each. */
  patternEvidenceMax: 20,
  patternStoryMax: 50,
  /** How long it is known which conversation a call belonged to, and what was tried in it. */
  patternTrialLifeMs: 30 * 86_400_000,
  /** What is older is looked for after so many calls, some rows at a time. */
  patternCallsBetweenTidying: 500,
  /** Outcomes that count for one conversation. */
  outcomesOfConversationMax: 100,
  outcomeNoteCharactersMax: 2000,
  /** Outcomes of an account in a minute: ten a second, which no person and few test runs reach. */
  outcomesPerMinute: 600,
} as const;
