/** Bounds of this module's work on one call. */
export const limits = {
  /** Sentences of the newest turn that are looked at, half of them from its beginning: the rest is usually pasted. */
  sentencesMax: 24,
  /** Sentences that are searched for. */
  searchedSentencesMax: 8,
  /** Words of a sentence that are searched for; each is a bit of a number. */
  wordsMax: 31,
  /** Characters of a sentence that are read. */
  sentenceCharactersMax: 600,
  /** Identifiers of a sentence that are looked up. */
  identifiersMax: 8,
  /** Characters of omitted messages that are searched, the newest first: half a million tokens. */
  searchedCharactersMax: 2_000_000,
  /** What a short passage counts as. */
  passageCharactersMin: 100,
  /** Characters indexed in one turn of the event loop: some milliseconds. */
  indexedAtOnceCharacters: 32_768,
  /** Passages searched in one turn of the event loop: a millisecond. */
  searchedAtOnce: 5000,
  /** Archived items that are searched, the newest first. */
  archivedItemsMax: 200,
  /** Characters of archived items that one call waits for; more are read after it, for later calls. */
  awaitedCharactersMax: 400_000,
  /** Characters of archived items in memory, for all accounts together. */
  cachedCharactersMax: 16_000_000,
  /** Passages that are compared with the request as sent. */
  comparedPassagesMax: 200,
} as const;
