/** Limits of the runtime. Each name has its unit. */
export const limits = {
  /** 24 days: a timer of 2^31 ms or more fires at once. */
  timerMsMax: 24 * 86_400_000,
} as const;
