/** Limits of the primary process and its workers. Each name has its unit. */
export const limits = {
  /** Accounts whose versions a process caches from another; versions of others are fetched again. */
  cachedVersionsMax: 20_000,
  /**
   * Timeout of the primary process, which normally responds in well under a millisecond; leaves room for slow moments
   * of a machine.
   */
  workerAnswerMs: 3000,
  /**
   * Every process hears of an account change in milliseconds; if one is stuck for this long, the change is not
   * confirmed.
   */
  renewalAckMs: 5000,
  /**
   * Slots of an account's cap handed to a process ahead when it asks a second time; doubled when they are used up
   * quickly.
   */
  slotsAheadMin: 4,
  slotsAheadLastMs: 125,
  /** And never more than this share of what is left. */
  slotsAheadShare: 64,
  /** Slots that a process hasn't used for this long are returned. */
  slotsAheadIdleMs: 1000,
  /** Timeout of the return, normally milliseconds; half of `workerAnswerMs`, since a call may be waiting for it. */
  slotsAheadReturnMs: 1500,
  /** Connections that the primary process opens for one worker at a time; a pool of a provider opens fewer. */
  connectionsPendingMax: 1000,
  /** Interval between timeout checks. */
  workerSweepMs: 100,
  /** Unanswered requests of one process to another; with more it is overloaded. */
  workerPendingMax: 10_000,
  /** A process is ready in a second, unless it waits for a migration. */
  workerStartMs: 660_000,
  /**
   * How long a process may take to store its data after its last call, twice `lastFlushMs` at most; then it is
   * killed.
   */
  workerEndMs: 25_000,
  /**
   * How long a process may take to report that it has drained or timed out; after that it counts as stuck and is
   * killed.
   */
  workerDrainedMs: 5000,
  /** After the last model call, everything else gets this long: none of it waits for a provider. */
  workerLastAnswersMs: 1000,
  /** Restart delays, from the second restart on; the first is immediate. */
  workerRestartPauseMsMin: 250,
  workerRestartPauseMsMax: 10_000,
  /** A process that ran this long did not fail because of its start. */
  workerSteadyMs: 60_000,
  /** How long calls may continue under the old settings after a reload: as long as clients wait for an answer. */
  handOverMs: 600_000,
  /** Concurrent generations of processes after repeated reloads; the oldest is then closed as at shutdown. */
  crewsMax: 4,
  /** Timeout for metrics of all processes; for a busy one, the last known are used. */
  workerFiguresMs: 500,
  /** Series of ended processes are summed up; beyond this many, those of further models are dropped. */
  retainedSeriesMax: 20_000,
} as const;
