/** Limits of the audit log. Each name has its unit. */
export const limits = {
  /** Attempts over a limit that get an entry each in an interval; the others are counted in one. */
  refusedAttempts: 5,
  refusedIntervalMs: 10_000,
  /** Entries in memory that are not stored yet, two kilobytes each at most in general; further ones are lost. */
  entriesWaitingMax: 10_000,
  /** Entries of a chain that one transaction stores. */
  entriesAtOnce: 100,
  /** The backoff after a failure of the database, which doubles, and how often entries are tried that it rejects. */
  retryMsMin: 250,
  retryMsMax: 10_000,
  rejectionsMax: 5,
  /** A longer personal value, such as a user agent, is cut off. */
  personalCharactersMax: 500,
  /** A longer value of a setting is in an entry as its digest. */
  valueCharactersMax: 500,
  /** Entries that an export or a check holds in memory. */
  exportedAtOnce: 500,
  /** A longer line of an evidence bundle is refused: the longest ones have the access rules of a key, of some kilobytes. */
  evidenceLineBytesMax: 4 * 1024 ** 2,
  /** How long a change is taken for one that its process still makes, after which others add its entry, and how often that is renewed. */
  openChangeLeaseMs: 120_000,
  openChangesMs: 30_000,
  /** How often chains are signed, and old entries removed; how many chains are read at a time. */
  keepMs: 600_000,
  chainsAtOnce: 500,
} as const;
