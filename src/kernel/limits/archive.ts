/** Content removed from conversations. */
export const archiveLimits = {
  /** One archived item, compressed and sealed: more than 200,000 tokens of text, with images. */
  archivedBytesMax: 8 * 1024 * 1024,
  archiveRowsAtOnce: 100,
  /** Interval between deletions of expired items. */
  archiveTidyMs: 300_000,
  archiveRefCharactersMax: 64,
} as const;
