/** Processes that work together. */
export const workersLimits = {
  /** With replicas, how long balancers get to see that this one is about to stop: two or three of their checks. */
  drainNoticeMs: 5000,
  /** A process of the gateway answers a command in milliseconds, unless it is stuck. */
  controlAnswerMs: 5000,
  /** What `weir doctor` has started for a look is given so long to end. */
  doctorCloseMs: 1000,
  /** What `weir doctor` calls too little room: a day of calls and their log, and what is hardly enough to start. */
  doctorDiskBytesLow: 1024 * 1024 * 1024,
  doctorDiskBytesMin: 100 * 1024 * 1024,
  /** How far clocks may be apart before it says so, and before sessions and signatures end too early or too late. */
  doctorClockMsLow: 5000,
  doctorClockMsMax: 120_000,
  /** When the gateway stops, what is only in memory gets this long to be stored. */
  lastFlushMs: 10_000,
  /** A part of the gateway that takes longer to close, a little more than that, is left behind, so that the others do. */
  partCloseMs: 12_000,
  /** Processes on one port: few machines have more cores, and each takes 150 MB or more. */
  workersMax: 64,
  /** The primary process answers in well under a millisecond, and a machine has slow moments; whoever waited this long is told that it is stuck. */
  workerAnswerMs: 3000,
  /** Every process hears in milliseconds that an account has changed; where one is stuck for so long, the change is not confirmed. */
  renewalAckMs: 5000,
  /** Slots of an account's cap that a process is handed ahead when it asks a second time; twice as many when they last for less. */
  slotsAheadMin: 4,
  slotsAheadLastMs: 125,
  /** And never more than such a part of what is left. */
  slotsAheadShare: 64,
  /** What a process was handed and nobody asked for in so long comes back. */
  slotsAheadIdleMs: 1000,
  /** It comes back in milliseconds; half of `workerAnswerMs`, since somebody may be waiting for it. */
  slotsAheadReturnMs: 1500,
  /** How often those who waited too long are looked for. */
  workerSweepMs: 100,
  /** Questions of one process to another without an answer; with more it is not keeping up. */
  workerPendingMax: 10_000,
  /** A process is ready in a second, unless it waits for a change of the schema. */
  workerStartMs: 660_000,
  /** A process whose calls are over stores what it knows, twice `lastFlushMs` at most; then it is killed. */
  workerEndMs: 25_000,
  /** A process says in milliseconds that its calls are over or its time is; one that takes so much longer is stuck, and killed. */
  workerDrainedMs: 5000,
  /** When its calls to models are over, everything else gets this long: none of it waits for a provider. */
  workerLastAnswersMs: 1000,
  /** Pauses before a process that ended is replaced, from the second time on; the first is replaced at once. */
  workerRestartPauseMsMin: 250,
  workerRestartPauseMsMax: 10_000,
  /** One that ran for so long did not end because of how it was started. */
  workerSteadyMs: 60_000,
  /** After a reload, how long calls may go on under the settings from before: as long as clients wait for an answer. */
  handOverMs: 600_000,
  /** Crews of processes at once, after reloads in a row; the oldest is then closed as if the gateway were to stop. */
  crewsMax: 4,
  /** Figures of all processes are there in milliseconds; of one that is busy for longer the last ones are taken. */
  workerFiguresMs: 500,
  /** Series of processes that ended are added up; past this many, those of further models are let go. */
  retainedSeriesMax: 20_000,
} as const;
