/** Limits of the runtime: each has its unit in its name. */
export const limits = {
  /** 24 days: a timer of 2^31 ms or more fires at once. */
  timerMsMax: 24 * 86_400_000,
} as const;
