/** Processes that work together. */
export const workersLimits = {
  /** With replicas, how long balancers have to notice that this one is stopping: two or three of their checks. */
  drainNoticeMs: 5000,
  /** A process of the gateway responds to a command in milliseconds, unless it is stuck. */
  controlAnswerMs: 5000,
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
  /** Time to store in-memory data at shutdown. */
  lastFlushMs: 10_000,
  /** A component that takes longer to close, a little more than that, is abandoned so that the others can close. */
  partCloseMs: 12_000,
  /** Processes on one port: few machines have more cores, and each takes 150 MB or more. */
  workersMax: 64,
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
