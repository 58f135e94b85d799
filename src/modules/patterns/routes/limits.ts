/** Limits of what account holders send. Each name has its unit. */
export const limits = {
  /** Lengths of a pattern that a user edits. */
  patternTriggerCharactersMax: 1000,
  patternAdviceCharactersMax: 2000,
  patternNamesMax: 20,
  patternNameCharactersMax: 200,
  /** Patterns on one page, and in one import. */
  patternPageMax: 200,
  patternImportMax: 10_000,
  /** Size of an import with this many usual patterns. */
  patternImportBytesMax: 8 * 1024 * 1024,
  /** Maximum length of the note of an outcome. */
  outcomeNoteCharactersMax: 2000,
  /** Outcomes of an account in a minute: ten a second, more than people and most test runs send. */
  outcomesPerMinute: 600,
} as const;
