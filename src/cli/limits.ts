/** Limits of the commands. Each name has its unit. */
export const limits = {
  /** How long processes started by `weir doctor` have to exit. */
  doctorCloseMs: 1000,
  /** How long the mail server and Stripe may take to respond. */
  doctorCheckMs: 12_000,
  /** Stored provider keys that a restore drill decrypts: some seconds. */
  drilledKeysMax: 100_000,
} as const;
