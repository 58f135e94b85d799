/** Limits of the sandbox. Each name has its unit. */
export const limits = {
  /** Calls of a session that may fail without being counted: tolerates a provider's hiccups, but not a loop. */
  sandboxGivenBackMax: 20,
  /** How long expired sessions are stored, so that they can be reported as such and claimed. */
  anonSessionKeptMs: 30 * 86_400_000,
} as const;
