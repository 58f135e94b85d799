/** Limits of a process of the gateway. Each name has its unit. */
export const limits = {
  /**
   * Maximum of V8's young generation, which would grow to 55 MB. A call of 1 KB leaves 40 KB there, so it is
   * collected every 370 calls instead of 740.
   */
  youngGenerationBytes: 32 * 1024 * 1024,
  /** Growth per step: from 2 MB to 8 with the first calls, and on under load. */
  youngGenerationGrowthMax: 4,
  /** A step takes seconds of load; a check takes some 10 µs. */
  youngGenerationLookMs: 250,
  /** Interval of the watchdog: a tenth of the allowed event-loop stall, and at least once a second. */
  watchdogSamples: 10,
  watchdogSampleMsMax: 1000,
  /**
   * An event loop that waits instead of computing gets three times as long: a disk or a network mount may hang for a
   * while.
   */
  watchdogBlockedFactor: 3,
  /** A worker without a primary process is useless: its event loop notices at once, unless it is blocked. */
  watchdogOrphanMs: 3000,
  /** The last line of a frozen process is written in microseconds, unless no process reads it. */
  watchdogLastLineMs: 1000,
  /** With replicas, how long balancers have to notice that this one is stopping: two or three of their checks. */
  drainNoticeMs: 5000,
  /** A process with nothing left to do ends in milliseconds. */
  exitPauseMs: 1000,
  /** A process of the gateway responds to a command in milliseconds, unless it is stuck. */
  controlAnswerMs: 5000,
  /** Interval between comparisons of the configuration file with what was read. */
  fileWatchMs: 1000,
  /** Tries of a reload whose settings are right, and the pause after the first; each further pause is longer by as much. */
  reloadTries: 4,
  reloadPauseMs: 1000,
} as const;
