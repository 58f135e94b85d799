/** Limits of the commands. Each name has its unit. */
export const limits = {
  /** How long processes started by `weir doctor` have to exit. */
  doctorCloseMs: 1000,
  /**
   * Free disk space that `weir doctor` warns about and fails at: a day of calls and their log, and barely enough to
   * start.
   */
  doctorDiskBytesLow: 1024 * 1024 * 1024,
  doctorDiskBytesMin: 100 * 1024 * 1024,
  /** Clock differences that `weir doctor` reports, and that break sessions and signatures. */
  doctorClockMsLow: 5000,
  doctorClockMsMax: 120_000,
  /** Stored provider keys that a restore drill decrypts: some seconds. */
  drilledKeysMax: 100_000,
} as const;
