/** Limits of the kernel, and of rooms that share a limit but do not import each other. Each name has its unit. */
export const limits = {
  /** Deeper than any real request or answer; recursive walks over a body stay within the stack. */
  jsonDepthMax: 200,
  /** Longer than any provider's; names are cached and repeated in errors, so a client must not choose how much. */
  modelNameMax: 256,
  /** Characters of each text of a message in which the user's own words are looked for. */
  userTextCharactersMax: 65_536,
  /** The highest rate limit: more than any caller reaches, and added up without loss. */
  rateLimitMax: 1_000_000_000,
  /**
   * Maximum of an answer that is read whole, for another format or a module: the body of an unstreamed one, the
   * content of a stream. The largest contain images.
   */
  readAnswerBytesMax: 32 * 1024 * 1024,
  /** All bytes of a stream that is read: its frames are some ten times as long as their content. */
  readStreamBytesMax: 256 * 1024 * 1024,
  /**
   * How much of an answer is converted to another format before other calls get a turn of the event loop; a megabyte
   * takes 30 ms.
   */
  readAtOnceBytesMax: 256 * 1024,
  /**
   * Values in one body, estimated by commas and brackets: long agent runs have some ten thousand. Parsing this many
   * takes a tenth of a second.
   */
  jsonValuesMax: 250_000,
  /** In a body of this size, values of this size are looked up among those of earlier calls, and the longest list item by item. */
  itemizedBodyBytesMin: 32 * 1024,
  knownValueBytesMin: 1024,
  /** Neighbouring items that are looked up by one hash; those at the end of a list are looked up one by one. */
  parsedGroupItems: 32,
  /** The memory of known items, for a dozen long conversations at a time, and how long they stay without a call. */
  parsedItemsBytesMax: 16 * 1024 * 1024,
  parsedItemsLifeMs: 120_000,
  /** Larger items, such as pictures, would leave no room for others. */
  parsedItemBytesMax: 1024 * 1024,
  /** A parsed body of this size or more is dropped while its provider works, and parsed again if needed. */
  reparsedBodyBytesMin: 64 * 1024,
  /** A body of this size or more is freed when its call ends, without waiting for the garbage collector. */
  eagerlyFreedBodyBytesMin: 64 * 1024,
  /** Assumed lifetime of a provider's cache if unknown; rather too long than too short. */
  cacheLifeSeconds: 600,
  /** How long sent prefixes are stored; no automatic provider cache lives longer. */
  prefixTtlSeconds: 86_400,
  /**
   * Positions of a conversation that are searched for its last prefix: users take back a few turns; beyond that it
   * counts as another conversation.
   */
  prefixLookupsMax: 8,
  prefixClaimsMax: 10_000,
  /** Declared prefix changes in one conversation: a long run takes a dozen. */
  prefixStepsMax: 50,
  /** A request estimated to fill this share of a window may not fit. */
  fullWindowShare: 0.9,
  /** Prose and code have between 3 and 4.5 characters per token. */
  charsPerToken: 4,
  /** Dimensions of one vector; the largest models have 4,096. */
  vectorValuesMax: 4096,
  /** Vector rows read or deleted in one statement: a millisecond of this thread, or five for very large vectors. */
  vectorRowsAtOnce: 100,
  /** How much of a dropped field name is reported. */
  reportedFieldCharacters: 100,
  /** How many dropped field names are reported. */
  reportedFieldsMax: 5,
  /** Faults of options in one error; more are counted. */
  reportedFaultsMax: 20,
  /** How often the database may reject a batch of rows. */
  requestLogRefusalsMax: 3,
  /** SPEC allows a key 8,000 characters of pipeline; a header gets no more. */
  pipelineTextMax: 8000,
  /** Tags of a call: more would make each call many sums. */
  tagsMax: 8,
  /** As long as names of OpenAI's metadata. */
  tagNameMax: 64,
  /** In bytes: all tags of a call together have to fit into an index entry of PostgreSQL. */
  tagValueBytesMax: 100,
  /** A name of a configuration, which people type into lists. */
  configurationNameMax: 64,
  /** Compiled pipelines in the cache; a client that invents lists can't grow memory. */
  compiledPipelinesMax: 500,
  /** The same for one account with configurations of its own. */
  compiledPipelinesOfAccountMax: 20,
  /** Entries on one page, 25 MiB of memory at most. */
  modulePageMax: 100,
  /** The largest `entriesMax` of a collection: clients can fill only their own share. */
  collectionEntriesMax: 100_000,
  /** The size of a value in a collection: usual and largest, a tenth of a second of database time. */
  collectionValueBytes: 256 * 1024,
  collectionValueBytesMax: 8 * 1024 * 1024,
  /** How long a module may delay a call without a break, not counting the time it waits for inner modules. */
  moduleDeadlineMs: 30_000,
  /** Interval between deadline checks. */
  moduleDeadlineCheckMs: 100,
  /** How long a module may go on reading a reply after its call has ended. */
  moduleLateReadMs: 600_000,
  /** A `traceparent` of version 00 has 55 characters; later versions may have more. */
  traceParentCharactersMax: 256,
  /** The size of a `tracestate` that every participant of a trace passes on, by the standard. */
  traceStateCharactersMax: 512,
  traceStateMembersMax: 32,
  /** Attempts in one call: more means that a module loops. */
  attemptsMax: 100,
  /** Tool rounds for one answer. */
  toolRoundsMax: 8,
  /** Timeout of a gateway tool; shorter than a module's deadline, so that the model gets the error. */
  toolAnswerMs: 20_000,
  /** Arguments of a call that may repeat another are held back up to this length; longer ones only while their text is the same. */
  heldArgumentsCharsMax: 2000,
  /** The largest answer of a tool that is cached. */
  toolAnswerBytesMax: 1024 * 1024,
  /** How long the version of a tool's answers is stored: longer than any answer, or a new version is made. */
  toolVersionSeconds: 30 * 86_400,
  /** The minimum output limit: some providers reject a lower one. */
  toolRoundTokensMin: 16,
  /** Tolerated clock difference to the payment processor when payments are searched by time. */
  processorClockSeconds: 120,
  /** Maximum tokens, or nano USD, of one call: larger reports of a provider are ignored. */
  usageFigureMax: 1e13,
  /** Rows in one statement: building 200 blocks the thread for two or three milliseconds. */
  databaseRowsAtOnce: 200,
  /** A count outlives its period by this, for calls that started in it. */
  countGraceMs: 3_600_000,
  /** Holds of a killed process count as spent after this; live ones renew theirs long before. */
  holdLifeMs: 600_000,
  /**
   * All networks of an IPv6 /48 together may try as often as this many of them. One customer can have all 65,536, and
   * a few providers put many customers into one.
   */
  networksPerSite: 10,
  /** Length of that pause. */
  journalRestMs: 30_000,
  /** A journal line takes microseconds. If it takes this long, the disk is too busy and the journal pauses. */
  journalSlowMs: 200,
  /** Budgets of an account: one for each of a thousand projects or keys. */
  storedBudgetsMax: 1000,
  budgetNameCharactersMax: 100,
  budgetThresholdsMax: 10,
  /** A million dollars: sums in nano USD stay safe integers far above it. */
  budgetNanoUsdMax: 1e15,
  /** Values of one attribute in the trace, which is also a response header. */
  noteValuesMax: 20,
} as const;
