/** Limits of HTTP requests and responses, and the routes of the API. Each name has its unit. */
export const limits = {
  /** Calls of an account that are counted for a page; more would take long. */
  retainedItemsCounted: 100_000,
  /** The reason of a legal hold: a few sentences. Holds that a page of the list has. */
  holdReasonCharactersMax: 1000,
  holdsAtOnce: 100,
  /** How long `/ready` waits for a store that calls can do without: balancers give up a probe after one or two seconds. */
  probeMs: 700,
  /** How long a client may take to read an error before its connection is broken off. */
  errorReadMs: 500,
  /** Ours have 43. */
  mailedTokenCharactersMax: 100,
  /** Tests of stored provider keys by one account: each is a call to the provider. */
  keyTestsPerAccount: { most: 30, seconds: 900 },
  /** Each export reads all data of an account. */
  exportsPerAccount: { most: 5, seconds: 3600 },
  /** Files that move an account, in and out. */
  movesPerAccount: { most: 20, seconds: 3600 },
  importBytesMax: 2 * 1024 ** 3,
  /** How long an import waits for its log to be in place before it answers: shorter than proxies wait. */
  importAnswerMs: 20_000,
  passphraseCharactersMin: 12,
  passphraseCharactersMax: 1024,
  /** Each export of the request log may read all of it. */
  logExportsPerAccount: { most: 30, seconds: 3600 },
  /** Exports of an audit log: collectors fetch what is new every few minutes. */
  auditExportsPerChain: { most: 60, seconds: 3600 },
  /** Evidence bundles: each reads all members and keys, and verifies the audit log. */
  evidencePerAccount: { most: 10, seconds: 3600 },
  auditPageMax: 200,
  auditActorCharactersMax: 100,
  /** Calls that an export reads together. */
  exportedCallsAtOnce: 1000,
  /** Bytes compressed at once. */
  exportPieceCharacters: 65_536,
  /** Each run of the diagnostics asks every store. */
  diagnosticsPerAddress: { most: 120, seconds: 60 },
  /** Accounts in one list for operators: each has a query for its owner. */
  operatorAccountsMax: 100,
  /** A bound for the input; no token is longer. */
  localTokenCharactersMax: 4096,
  /** SPEC's limit on key names. */
  keyNameCharactersMax: 120,
  /** Access rules of a key: entries of a list, and their characters together, since every process caches them. */
  accessEntriesMax: 100,
  accessListCharactersMax: 8000,
  /** As long as clients' own names for their users. */
  endUserCharactersMax: 256,
  /** The largest weight of a provider key: shares of a thousandth are fine enough. */
  providerKeyWeightMax: 1000,
  /** Providers' keys are 40 to 200 characters; a key goes into a header. */
  providerKeyCharactersMax: 500,
  /** Maximum size of a webhook of the payment processor. */
  eventBytesMax: 1024 * 1024,
  /** Credits of one purchase: at least the minimum card charge, at most what a person would intend. */
  creditsBoughtMin: 50_000,
  creditsBoughtMax: 1_000_000_000,
  /** URLs for browsers. */
  urlCharactersMax: 2048,
  /** Invoices on one page; the processor's maximum. */
  invoicePageMax: 100,
  /** Ledger entries of an account on one page. */
  creditPageMax: 200,
  /** Providers refuse bodies over 32 MB; decoding stops here, so a small compressed bomb can't grow past it. */
  bodyBytesMax: 32 * 1024 * 1024,
  /** Streamed uploads to providers: OpenAI's own limit of a file. */
  uploadBytesMax: 512 * 1024 * 1024,
  /** The description of a file or a batch, which is stored. */
  storedObjectBytesMax: 128 * 1024,
  /** A batch of Google with its results: its requests have 20 MB at most. */
  inlinedResultBytesMax: 64 * 1024 * 1024,
  /** How long the calls of a batch are estimated before other work gets its turn. */
  batchTurnMs: 5,
  /** A form is held in memory up to this size until its field `model` has arrived, and then on disk. */
  formBytesHeldMax: 1024 * 1024,
  /** Such forms on the disk of a process: four of the largest, and two for each account. */
  spooledBytesMax: 2 * 1024 ** 3,
  spooledBytesOfCallerMax: 1024 ** 3,
  /** Text fields of a form, and bytes of all of them; what is longer counts as a file. */
  formFieldsMax: 1000,
  formTextBytesMax: 1024 * 1024,
  /** Headers of one part of a form. */
  formPartHeadBytesMax: 16 * 1024,
  /**
   * Weir's own routes accept small objects, of which a pipeline of 8,000 characters is the largest; anyone may send
   * them.
   */
  ownBodyBytesMax: 64 * 1024,
  /** Smaller responses fit into one packet anyway. */
  compressedBytesMin: 1400,
  /** The body of a call whose route is explained: a long conversation, held without a reservation. */
  explainedBodyBytesMax: 4 * 1024 * 1024,
  /** A version of a prompt: its texts, which may take six bytes a character, and its defaults. */
  promptBodyBytesMax: 3 * 1024 * 1024,
  /** For each account: a dry run takes as long as a call without its provider. */
  dryRuns: { most: 60, seconds: 60 },
  /** An unstreamed answer is buffered up to this size, so that its cost fits in a header. */
  bufferedAnswerBytesMax: 1024 * 1024,
  /** Approximate memory of a parsed value. */
  parsedValueBytes: 64,
  /** Requests up to this size are not counted by caller. */
  smallBodyBytes: 16 * 1024,
  /** Grace period of a body; after that it must have arrived at this average rate. */
  slowBodyGraceMs: 10_000,
  slowBodyBytesPerSecond: 8 * 1024,
  /** A streamed body must keep that rate in each window of this length: a fast start pays for no stalling. */
  streamedBodyWindowMs: 60_000,
  /** A request's headers, all together. */
  requestHeadBytesMax: 32 * 1024,
  /** Timeouts for a client's headers and body. */
  requestHeadersMs: 60_000,
  requestBodyMs: 300_000,
  /** Keep-alive timeout of a client's connection. */
  idleConnectionMs: 75_000,
  /**
   * Behind a proxy, the proxy must close first: a call that is on its way when we close is lost. Google's proxies
   * keep connections for ten minutes.
   */
  idleProxyConnectionMs: 620_000,
  /**
   * A client that is rejected while it sends gets this long, and this much more is discarded, before it is
   * disconnected.
   */
  lingerMs: 10_000,
  lingerBytesMax: 64 * 1024 * 1024,
  /** Open WebSockets of a process: each has buffers of some 20 KB and a timer. */
  webSocketsMax: 2000,
  /** An agent opens one for each of its windows, and a switchboard one for each conversation. */
  webSocketsPerAccountMax: 500,
  webSocket: {
    /** A route may set another limit. */
    messageBytesMax: 1024 * 1024,
    unreadMessagesMax: 32,
    /** A client may split a message that it makes up piece by piece; each fragment costs a buffer. */
    fragmentsMax: 1024,
    controlFramesMax: 100,
    /** Proxies close connections that are silent for a minute. */
    pingMs: 30_000,
    /** The longest that a person leaves an agent alone before it connects anew. */
    idleMs: 3_600_000,
    closeMs: 10_000,
    unsentBytesMax: 64 * 1024,
  },
  callSocket: {
    /** OpenAI closes its WebSockets after this time, and clients are made for it. */
    lifeMs: 3_600_000,
    /** Calls of one WebSocket that run or wait for their lane: as many as OpenAI runs at once. */
    callsMax: 16,
    /** Turns that can be continued on their WebSocket only: hours of an agent, and several conversations at once. */
    turnsMax: 1000,
    /** Their size: the largest request has as much. */
    turnBytesMax: 32 * 1024 * 1024,
  },
  session: {
    /** What a response may read beyond what is known when it is reserved: two minutes of sound. */
    aheadTokens: 1200,
    /** The longest answer of a model whose limit nobody knows. */
    outputTokens: 4096,
    /** Also the most that a model of unknown size reads. */
    contextTokens: 128_000,
    /** Responses that run at once, before a client has to wait for one of them. */
    responsesMax: 16,
    /** How long a client waits for a provider that does not answer its request for a response, before it may ask again. */
    answerMs: 10_000,
    /** How often, and in what intervals, a response is reserved anew while limits may still count the one before. */
    settlingTries: 10,
    settlingMs: 100,
    /** How often the key of a session is checked while no response begins. */
    checkMs: 60_000,
    /** How long a client may take to say what its session is for. */
    setupMs: 30_000,
    /** How long the last response of a session that the gateway ends may take. */
    lastResponseMs: 60_000,
  },
  /** Issues of a stored pipeline must fit in a header that any proxy passes on. */
  warningCharactersMax: 1000,
  /** Calls on one page. */
  requestLogPageMax: 200,
  conversationsPageMax: 200,
  /** Conversations of a page of calls whose earlier calls are read, and calls of each: a subagent is one. */
  comparedConversationsMax: 20,
  comparedCallsMax: 8,
  /** The same limit as the processor's own keys have. */
  idempotencyKeyCharactersMax: 255,
  /** Ledger lines on one page. */
  ledgerPageMax: 200,
  /** Days of one usage report: a year, leap years included. */
  usageReportDaysMax: 366,
  /** End users or tags in one list. */
  usageRowsListed: 10_000,
  /** Receipts on one page. */
  receiptPageMax: 200,
  memberPageMax: 200,
  projectPageMax: 200,
  budgetPageMax: 200,
  /** The address of a webhook; browsers and servers accept 2,000 characters. */
  webhookUrlCharactersMax: 2000,
  /** Deliveries on one page of a list. */
  deliveryPageMax: 200,
  /** Test messages and messages that are sent again, of one account. */
  webhookMessages: { most: 60, seconds: 60 },
  /** How long a report of the storage counts before it is made again. */
  storageReportKeptMs: 10 * 60_000,
  /** Recordings on one page of a list. */
  recordingPageMax: 200,
  recordingSearchCharactersMax: 200,
} as const;
