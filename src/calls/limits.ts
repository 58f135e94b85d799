/** Limits of calls. Each name has its unit. */
export const limits = {
  /** One archived item, compressed and sealed: more than 200,000 tokens of text, with images. */
  archivedBytesMax: 8 * 1024 * 1024,
  archiveRefCharactersMax: 64,
  /** How often data is deleted that accounts keep for a shorter time than the instance, and how many accounts are read at a time. */
  retainedDataCleanupMs: 3_600_000,
  retentionsAtOnce: 100,
  /** Tool calls of one answer that the request log has by name. */
  loggedToolCallsMax: 64,
  /** Recorded bytes of one request, and of one answer; the rest is left out. */
  recordedBodyBytesMax: 4 * 1024 * 1024,
  /** Memory of a recording beside its bodies: headers and names. */
  recordingOverheadBytes: 2048,
  /** Memory for recordings of calls in flight and for those that wait to be stored; without room, nothing is recorded. */
  recordingBytesHeldMax: 64 * 1024 * 1024,
  /** Delay before a recording is stored, and the maximum backoff after a failed write. */
  recordingFlushMs: 500,
  recordingRetryMsMax: 5000,
  /** Recordings that are compressed and stored together. */
  recordingsAtOnce: 50,
  /** How long a reader waits for the latest recordings to be stored. */
  recordingReadFlushMs: 1000,
  /** What one search in recordings reads: decoding takes some 10 ms for a megabyte. */
  recordingsSearchedMax: 500,
  recordingBytesSearchedMax: 32 * 1024 * 1024,
  recordingMatchesMax: 50,
  /** Characters of a match, with the text around it. */
  recordingExcerptCharacters: 160,
  recordingSearches: { most: 60, seconds: 60 },
  /** Interval between deletions of expired recordings. */
  recordingCleanupMs: 300_000,
  /** Items that are archived in one transaction: enough that it hardly counts, and few that others wait for. */
  archivedAtOnce: 25,
  /** The life of an item that has none of its own. */
  archiveLifeSeconds: 30 * 86_400,
  archivePageMax: 50,
  /** Items on a page for account holders, and how many of the newest are read for the list of conversations: 20 queries. */
  archiveItemsPageMax: 100,
  archiveListedMax: 2000,
  /** A search opens this many of the newest items, of this size in all, a few milliseconds for each. */
  archiveScannedMax: 100,
  archiveScannedBytesMax: 8 * 1024 * 1024,
  /** Characters that a search scans in all, and those without a pause, a millisecond's work. */
  archiveScannedCharactersMax: 4 * 1024 * 1024,
  archiveScannedCharactersAtOnce: 32_768,
  /** Characters of the text that is searched for, and the number of items found. */
  archiveSearchCharactersMax: 4000,
  archiveFoundMax: 10,
  /** Decisions of modules are deleted when their conversation was inactive for this long, */
  decisionLogLifeMs: 30 * 86_400_000,
  /** or sooner if an account has more of them than fit. */
  fullDecisionLogLifeMs: 86_400_000,
  /** Decisions of one module loaded with a conversation: more than the turns of an agent run of days. */
  decisionLogEntriesMax: 5000,
  /**
   * After this many new decisions a page of old ones is swept, so that each is checked twice before a store is full.
   */
  decisionLogEntriesBetweenSweeps: 50,
  /** Conversations whose decisions are cached, and the size of that cache. */
  openDecisionLogsMax: 1000,
  decisionLogCharsMax: 32 * 1024 * 1024,
  /** How long a module steps aside that is not worth its place, until traffic or prices may have changed. */
  stepAsideMs: 30 * 86_400_000,
  /** How often that is judged: evidence grows slowly, and reading it takes a query. */
  stepAsideCheckMs: 60_000,
  /** Modules of accounts whose judgement is cached. */
  stepAsideChecksMax: 10_000,
  /** Turns that one conversation is assembled from; agents that run for days make hundreds. */
  turnsMax: 10_000,
  /** Answers of one account that a process makes in the background: an answer may take many minutes. */
  backgroundAnswersMax: 100,
  /** Answers that providers make in the background and a process waits for, to bill them; others are billed at once, by the most that they can cost. */
  backgroundReadsMax: 500,
  /** How often they are read: at first, and at last. */
  backgroundReadMsMin: 500,
  backgroundReadMsMax: 30_000,
  /** Timeout of one read. */
  backgroundReadTimeoutMs: 30_000,
  /** Providers end an answer in the background after an hour. */
  backgroundReadMs: 3_600_000,
  /** Without a renewal, an answer in the background counts as failed after this long, several renewals. */
  backgroundLeaseMs: 30_000,
  /** Interval of renewals, and of looking for a cancellation from another replica. */
  backgroundBeatMs: 5000,
  /** Configurations of one account, and the size of all. */
  configurationsMax: 50,
  configurationsCharactersMax: 256 * 1024,
  /** Accounts whose configurations are cached: 50 MiB of JSON at most. */
  cachedConfigurationSetsMax: 200,
  /** Values of one tag whose budgets are listed: each is read by itself. */
  tagBudgetsMax: 100,
  /** Stored prompts of one account, their versions, and the size of all as JSON. */
  promptsMax: 200,
  promptVersionsMax: 2000,
  promptCharactersMax: 8 * 1024 * 1024,
  /** Texts of one version: a long manual fits, and a call is expanded in a millisecond. */
  promptTextCharactersMax: 200_000,
  promptMessagesMax: 100,
  promptVariablesMax: 100,
  /** A name that people type into code: of a variable or a label. */
  promptWordMax: 64,
  promptLabelsMax: 50,
  promptNoteCharactersMax: 1000,
  /** The texts of a call's prompt with values in them, since a value may stand in many places: half of a million tokens. */
  promptRenderedCharactersMax: 2_000_000,
  /** A body with its prompt: as large as one without may be. */
  promptedBodyBytesMax: 32 * 1024 * 1024,
  /** Versions in the cached lists of accounts, some 200 bytes each, and characters of the cached versions. */
  cachedPromptVersionsMax: 100_000,
  cachedPromptCharactersMax: 32 * 1024 * 1024,
  /** Models of one alias, also with those of the aliases in it: routing looks at each of them in every call. */
  aliasModelsMax: 20,
  /** Aliases in aliases. */
  aliasLevelsMax: 4,
  /** Background tasks: concurrency, queue length and timeout. */
  backgroundTasksAtOnce: 8,
  backgroundTasksWaiting: 1000,
  backgroundTaskMs: 120_000,
  /** Longest window of a module's count: a month. */
  countWindowSecondsMax: 31 * 86_400,
  /** Names of counts: the module's, and an id of a key or end user. */
  counterNameCharactersMax: 400,
  /** A slot of a call whose process was killed is free after this; calls renew theirs three times as often. */
  moduleSlotLifeMs: 60_000,
  moduleSlotRenewalMs: 20_000,
  /** The same for calls of callers with a limit on calls in flight. */
  callSlotLifeMs: 60_000,
  callSlotRenewalMs: 20_000,
  /** Callers and models whose mean output is in memory, and how many answers it follows. */
  expectedOutputsMax: 10_000,
  expectedOutputAnswers: 10,
  /** Cached request keys. */
  cachedRequestKeysMax: 1000,
  /** The same body may come from several callers and for several models: this many variants are cached. */
  requestKeyVariantsMax: 8,
  /** Messages and tools whose hashes are kept: those of some fifty long conversations, in 10 MB. */
  knownItemsMax: 40_000,
  /** The operator pays for small calls only: limits of their request and answer. */
  paidBodyBytesMax: 64 * 1024,
  sandboxOutputTokensMax: 1024,
  /** Default output limit of a paid call, and the minimum that the price of a model must cover. */
  paidOutputTokens: 1024,
  paidOutputTokensMin: 256,
  /** Estimated input tokens: half a token per byte of words, see decision 14, and one for any other byte. */
  paidTokensPerByte: 0.5,
  paidTokensBase: 200,
  /** Results of attempts count for a minute, in slots of ten seconds. */
  healthSlotMs: 10_000,
  healthSlots: 6,
  /** Times to the first content that quantiles are taken from. */
  contentSamples: 64,
  /** After this time an answer weighs half as much: a provider's speed changes within minutes. */
  contentHalfLifeMs: 60_000,
  /** Fewer answers than this one, five minutes old, say nothing. */
  contentWeightMin: 1 / 32,
  /** A target that was away gets all calls again after this time; at once this share, so that it is seen to work. */
  recoveryMs: 20_000,
  admittedShareMin: 0.1,
  /** A rejected credential is tried again after this time: some rejections are temporary. */
  rejectionMs: 300_000,
  /** Targets and credentials whose results are in memory, half a kilobyte each. */
  /** A key that was set aside is tested after this time, and again each time that this has doubled, at least once in an hour. */
  keyTestSecondsMin: 60,
  keyTestSecondsMax: 3600,
  healthRecordsMax: 10_000,
  /** Models of one credential; clients may name any. */
  healthModelsMax: 200,
  /** How long a credential without credit rests: the provider doesn't say when its owner pays. */
  unpaidRestSeconds: 300,
  /** Models that the health of a credential lists, the latest ones. */
  unhealthyModelsMax: 20,
  /** Results are shared after a second, changes of a breaker at once; so many reports a second are cheap for Redis. */
  healthPublishMs: 1000,
  healthPublishedMax: 200,
  /** Reports of other processes are read again after this time; a module may ask for every call. */
  healthReadMs: 250,
  /** What earlier calls say about the cost of the next is forgotten after a day without calls. */
  targetHistorySeconds: 86_400,
  /** A mean of outputs follows the latest answers; this many weigh as much as all before. */
  outputMeanAnswers: 50,
  /** Targets of an account whose mean output is stored, in one entry that every routed call reads. */
  outputMeansMax: 40,
  /** Providers that cache by themselves ignore shorter inputs. */
  cachedTokensMin: 1024,
  hourSeconds: 3600,
  /** Expected output of a model that has not answered the account yet. */
  outputTokensAssumed: 500,
  /** A breaker opens after so many failures, if they are at least this share of the attempts in a minute. */
  breakerFailuresMin: 5,
  breakerFailureShare: 0.5,
  /** How long it stays open: outages take minutes, and a probe after them is cheap. */
  breakerOpenMs: 30_000,
  /** Series of breakers in metrics; clients choose model names. */
  breakerSeriesMax: 200,
  /** A probe whose process dies is replaced after this time. */
  breakerProbeSeconds: 30,
  /**
   * How long the cost of a conversation in a trial is stored after its last call; if it continues later, it counts as
   * another.
   */
  trialKeptSeconds: 7 * 86_400,
  /**
   * How much of an answer with a receipt is buffered and hashed at the end; longer answers are hashed while
   * streaming.
   */
  deferredHashBytesMax: 256 * 1024,
  /** Files and batches of an account: those that are not asked for in a year, or the oldest of some 60,000, are forgotten. */
  storedObjectLifeSeconds: 366 * 86_400,
  storedObjectBytesMax: 64 * 1024 ** 2,
  /** Parts of a long list of inputs that are with a provider at once. */
  inputPartsAtOnce: 4,
  /** Texts that wait for the local model at once, for one call to its endpoint. */
  localTextsAtOnce: 32,
  /** How long they may take: a text takes up to 100 ms, and other calls go first. */
  localEmbeddingsMs: 30_000,
  /** Texts of one call to the local model: as many as OpenAI takes. */
  localTextsMax: 2048,
  /** Of longer texts the model would leave out the middle. */
  localTextCharactersMax: 10_000,
  /** A line of a batch: a call with images, or its answer. */
  batchLineBytesMax: 32 * 1024 ** 2,
  /** The gateway's own batches: calls of a file, and their names, as many and as long as OpenAI's. */
  batchCallsMax: 50_000,
  customIdCharactersMax: 512,
  /** Batches of one API in the list of all. */
  listedBatches: 100,
  /** Lines of a file that are read together. */
  linesReadAtOnce: 25,
  /** An upload that has not ended after this time was cut off. */
  callFileUploadMs: 3_600_000,
  /** Lines of a file in one statement. */
  callLinesAtOnce: 100,
  callLineBytesAtOnce: 1024 * 1024,
  /** Batches that a process runs at once: each has some kilobytes of memory. */
  ownBatchesAtOnce: 50,
  /** A batch whose process was killed goes on after this time; processes renew their leases several times as often. */
  ownBatchLeaseMs: 10_000,
  ownBatchBeatMs: 2000,
  /** A run looks again at least this often, whatever it waits for. */
  ownBatchWaitMs: 60_000,
  /** How often files and results that have expired are looked for. */
  ownBatchCleaningMs: 600_000,
  /** A call that cost nothing is sent again after this time, twice as long each time. */
  lineRetryMs: 1000,
  lineRetryMsMin: 100,
  lineRetryMsMax: 300_000,
  /** How often, if its provider fails. Rate limits are waited for until the batch expires. */
  lineAttemptsMax: 6,
  /** How long a batch may take. */
  ownBatchWindowMsMin: 60_000,
  ownBatchWindowMsMax: 7 * 86_400_000,
  /** Names and values of a batch's metadata. */
  batchMetadataMax: 16,
  batchMetadataCharactersMax: 512,
  /** Longer inputs have higher prices at some models, from 128,000 tokens on. */
  batchShortInputTokens: 100_000,
  /** Models that the calls of a batch name. OpenAI allows one. */
  batchModelsMax: 20,
  /** What is set aside for a batch that no provider has confirmed: much longer than a request that makes one. */
  unconfirmedBatchMs: 3_600_000,
  /** A month and a day: what is set aside for a batch counts in no later window. */
  batchReservationMs: 32 * 86_400_000,
} as const;
