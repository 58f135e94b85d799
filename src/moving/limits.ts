/** Limits of files that move between instances. Each name has its unit. */
export const limits = {
  /** Rows that are compared and set aside together: so few that they die in V8's young generation. */
  rowsAtOnce: 40,
  /** Rows of usage and log that storage writes in one part of the last phase. */
  rowsFinishedAtOnce: 500,
  /** Provider keys of a file, which are decrypted together. */
  providerKeysMax: 1000,
  /** The longest pause between two batches of an import. */
  pauseMsMax: 100,
  /** Characters of rows that are held until they are compared. */
  batchCharacters: 256 * 1024,
  /** One line: the largest sealed content (8 MiB) in base64, and room for its fields. */
  lineBytesMax: 16 * 1024 * 1024,
  /** A file after decompression, and its rows: ten years of a busy account. */
  fileBytesMax: 16 * 1024 ** 3,
  rowsMax: 10_000_000,
  /** Conflicts and reasons that a report names for each section. */
  conflictsNamed: 100,
  reasonsNamed: 20,
  /** Memory to make a key from a passphrase is 1 KiB times two to this power: 32 MiB, and 128 MiB at most for other programs' files. */
  passphraseWork: 15,
  passphraseWorkMax: 17,
  /** Characters of a piece of an export. */
  pieceCharacters: 65_536,
  /** Interval between looks for imports of stopped processes. */
  recoverMs: 60_000,
} as const;
