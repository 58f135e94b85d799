/** Limits of the composition of the gateway. Each name has its unit. */
export const limits = {
  /** Clock differences that make windows of budgets differ between replicas, and that break sessions and signatures. */
  clockSkewMsLow: 5000,
  clockSkewMsMax: 120_000,
  /** Free disk space: below the least, SQLite and journals may fail to write at any moment. */
  diskBytesMin: 100 * 1024 * 1024,
  diskBytesLow: 1024 * 1024 * 1024,
  diskShareLow: 0.05,
  /** A store that takes longer to respond slows down every call. */
  slowStoreMs: 250,
  /** How long a provider may take for the calls of one check. */
  providerCallMs: 25_000,
  /** Entries of queues are stored within seconds. */
  queuedMsMax: 60_000,
  /** Queries wait for moments only, unless the database is slow. */
  waitingQueriesMax: 50,
  /** Mails leave within seconds. */
  waitingMailsMax: 10,
  /** How often a process says that it runs, and how long it is listed after that. */
  processSeenMs: 60_000,
  processLostMs: 150_000,
  /** Sets of settings before the current one that may have open calls; more of them leave. */
  formerGenerationsMax: 8,
  /** Interval between looks at whether one of them still has any. */
  formerGenerationMs: 50,
  /** Names in one line of the diagnostics. */
  shownTargetsMax: 10,
  /** Interval between probes of the database, shorter than those of most alerts. */
  databaseProbeMs: 5000,
  /** Interval between checks for changes by the command line, and how long the command waits for it. */
  mailboxMs: 200,
  mailboxWaitMs: 2000,
  /** The share of the heap for requests in flight of all callers together, and the share of that for one caller. */
  bodyMemoryShareOfHeap: 0.25,
  bodyMemoryShareOfCaller: 0.5,
  /** Maximum for one caller on any machine: eight of the largest requests. */
  bodyMemoryBytesOfCallerMax: 256 * 1024 * 1024,
  /** Minimum on a small heap: a few of the largest requests. */
  bodyMemoryBytesMin: 128 * 1024 * 1024,
  /** Memory for such conversations; the least recently used goes first. */
  turnBytesMax: 64 * 1024 * 1024,
  /**
   * How long calls on one machine share a journal write; with replicas each is written before its client gets the end
   * of its answer.
   */
  journalDelayMs: 2,
  /** Timeout of the payment processor. */
  processorAnswerMs: 10_000,
  /** Payment attempts of one address; each takes a challenge, so an honest client never reaches this. */
  paymentsPerAddress: { most: 120, seconds: 60 },
  /** Time to store in-memory data at shutdown. */
  lastFlushMs: 10_000,
  /** A component that takes longer to close, a little more than that, is abandoned so that the others can close. */
  partCloseMs: 12_000,
  /** How long a mail server may take to respond. */
  mailServerMs: 10_000,
  /** Processes on one port: few machines have more cores, and each takes 150 MB or more. */
  workersMax: 64,
} as const;
