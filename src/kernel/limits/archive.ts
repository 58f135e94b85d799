/** What was taken out of conversations. */
export const archiveLimits = {
  /** One thing in an archive, compressed and sealed: more than 200,000 tokens of text, with pictures. */
  archivedBytesMax: 8 * 1024 * 1024,
  archiveRowsAtOnce: 100,
  /** How often what is over is deleted from archives. */
  archiveTidyMs: 300_000,
  archiveRefCharactersMax: 64,
} as const;
