/** The memory of a process, and its watchdog. */
export const processLimits = {
  /** How far the space for new objects grows: V8 would go on to 55 MB. A call of 1 KB leaves 40 KB there, so that it is collected every 370 calls instead of 740. */
  youngGenerationBytes: 32 * 1024 * 1024,
  /** By how much at once: from 2 MB to 8 with the first calls, and on under load. */
  youngGenerationGrowthMax: 4,
  /** A step takes seconds of load; looking takes some 10 µs. */
  youngGenerationLookMs: 250,
  /** How often freed memory is given back: it takes up to ten milliseconds, in which nothing else is done. */
  freedMemoryLookMs: 10_000,
  /** Whoever did less than this since has freed little. */
  freedMemoryCpuMs: 250,
  /** How often the watchdog looks: a tenth of the time that an event loop may stand still, and once a second at least. */
  watchdogSamples: 10,
  watchdogSampleMsMax: 1000,
  /** An event loop that waits instead of computing gets three times as long: a disk or a network mount may hang for a while. */
  watchdogBlockedFactor: 3,
  /** A worker whose primary process is gone has nobody left to serve: its event loop notices at once, unless it stands still. */
  watchdogOrphanMs: 3000,
  /** The last line of a frozen process is written in microseconds, unless nobody reads it. */
  watchdogLastLineMs: 1000,
  /** `EX_SOFTWARE` of sysexits.h; other faults end with 1. */
  watchdogExitCode: 70,
} as const;
