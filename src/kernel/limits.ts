/** Every bound of the request path, with its unit in the name and its reason beside it. */
export const limits = {
  /** Providers refuse bodies over 32 MB; decoding stops here, so a small compressed bomb can't grow past it. */
  bodyBytesMax: 32 * 1024 * 1024,
  /** Deeper than any real request or answer; recursive walks over a body stay within the stack. */
  jsonDepthMax: 200,
  /** Longer than any vendor's; names are remembered and repeated in errors, so a client must not choose how much. */
  modelNameMax: 256,
  /** Own routes take small objects, of which a pipeline of 8,000 characters is the largest; strangers may send these. */
  ownBodyBytesMax: 64 * 1024,
  /** SPEC allows a key 8,000 characters of pipeline; a header gets no more. */
  pipelineTextMax: 8000,
  /** Distinct pipeline lists kept compiled; a client that invents lists can't grow memory. */
  compiledPipelinesMax: 500,
  /** Header names whose fate is remembered. */
  headerNamesMax: 500,
  /** Error answers of providers are a few hundred bytes; a larger one is not an error message. */
  errorBodyBytesMax: 1024 * 1024,
  /** Of somebody else's error message this much is quoted in ours. */
  quotedTextMax: 2000,
  /** An unstreamed answer is held up to this size, so that its cost can stand in a header. */
  heldAnswerBytesMax: 1024 * 1024,
  /** Of an unstreamed answer that is only watched, this much is held; of a longer one, its end. */
  watchedAnswerBytesMax: 2 * 1024 * 1024,
  watchedTailBytes: 64 * 1024,
  /** Bytes of one answer read ahead of a slow client before the provider's socket is paused. */
  readAheadBytesMax: 256 * 1024,
  /** One server-sent frame: 4 MiB of tool arguments must fit, an endless line must not. */
  frameBytesMax: 16 * 1024 * 1024,
  /** How long a stream's start is watched for an error before the client gets its headers. */
  commitWaitMs: 5000,
  /** And how much of it is held while watching. */
  commitBytesMax: 256 * 1024,
  /** Providers end a stream with its error; one that doesn't must not hold up who would make the call again. */
  errorTailMs: 1000,
  /** Reaching a provider's address takes milliseconds; ten seconds means it can't be reached. */
  connectTimeoutMs: 10_000,
  /** Tries to reach a provider when nothing was sent yet. */
  connectAttemptsMax: 3,
  /** Values in one body, as commas and brackets tell: long agent runs have some ten thousand. Parsing as many takes a tenth of a second. */
  jsonValuesMax: 250_000,
  /** What a parsed value takes in memory, about. */
  parsedValueBytes: 64,
  /** Of the heap, so much may be held for requests under way by all callers together, and of that so much by one. */
  ballastShareOfHeap: 0.25,
  ballastShareOfOne: 0.5,
  /** No less than this, also on a small heap: a few of the largest requests. */
  ballastBytesMin: 128 * 1024 * 1024,
  /** Requests up to this size are not counted by caller. */
  smallBodyBytes: 16 * 1024,
  /** A parsed body from this size on is let go while its provider works, and parsed again if somebody asks. */
  letGoBytesMin: 64 * 1024,
  /** The memory of a body from this size on is given back when its call is over, without waiting for the collector. */
  keptBodyBytesMin: 64 * 1024,
  /** A body may take this long however slowly it comes; after that it must have come at this rate since then. */
  slowBodyGraceMs: 10_000,
  slowBodyBytesPerSecond: 8 * 1024,
  /** A client has this long to send its headers and its body. */
  requestHeadersMs: 60_000,
  requestBodyMs: 300_000,
  /** A client that was refused while it sends gets this long, and this much more is thrown away, before it is cut off. */
  lingerMs: 10_000,
  lingerBytesMax: 64 * 1024 * 1024,
  /** Clients sleep as long as they are told to, and say nothing meanwhile: whoever has to wait for longer is told why instead. */
  retryAfterSecondsMax: 60,
  /** 24 days: a timer that is set to 2^31 ms or more fires at once instead. */
  timerMsMax: 24 * 86_400_000,
  /** Memory that modules share for what they keep. */
  shelfBytesMax: 64 * 1024 * 1024,
  /** Names of modules and tenants; PostgreSQL has 2,700 bytes for both and a key, and a character takes up to three. */
  moduleStoreNameCharactersMax: 128,
  moduleKeyCharactersMax: 512,
  /** A value that a module stores: a summary or a list of decisions, and a few milliseconds of the database's time. */
  moduleValueBytesMax: 256 * 1024,
  /** Patterns of one account: all of them are in memory where they are looked through, a kilobyte each. */
  patternsMax: 10_000,
  /** Accounts whose patterns are in memory, and all patterns of these together. */
  patternBooksOpen: 200,
  patternsOpen: 50_000,
  /** More than these are read again while calls go on with what was known. */
  patternsReadAtOnce: 500,
  /** How late a process sees what another has changed in them. */
  patternsSeenMs: 1000,
  /** Past this a call waits for it. */
  patternsStaleMs: 10_000,
  /** Candidates that nothing has confirmed: of one end user, and of an account. */
  patternCandidatesOfUserMax: 50,
  patternCandidatesMax: 1000,
  /** A note that is longer is a report, and no lesson. */
  outcomeLessonCharactersMax: 300,
  patternTriggerCharactersMax: 1000,
  patternAdviceCharactersMax: 2000,
  patternNamesMax: 20,
  patternNameCharactersMax: 200,
  patternFingerprintMax: 200,
  /** Patterns on one page, and in one import. */
  patternPageMax: 200,
  patternImportMax: 10_000,
  /** As many of the usual size. */
  patternImportBytesMax: 8 * 1024 * 1024,
  /** Calls that a pattern came from, conversations, and what became of it: the latest of each. */
  patternEvidenceMax: 20,
  patternStoryMax: 50,
  /** How long it is known which conversation a call belonged to, and what was tried in it. */
  patternTrialsKeptMs: 30 * 86_400_000,
  /** What is older is looked for after so many calls, some rows at a time. */
  patternCallsBetweenTidying: 500,
  /** Outcomes that count for one conversation. */
  outcomesOfConversationMax: 100,
  outcomeNoteCharactersMax: 2000,
  /** Outcomes of an account in a minute: ten a second, which no person and few test runs reach. */
  outcomesPerMinute: 600,
  /** Entries of one module for one tenant: whatever clients do, they fill no more than their own share. */
  moduleEntriesMax: 100_000,
  /** Entries on one page, 25 MiB of memory at the very most. */
  modulePageMax: 100,
  /** Entries that are deleted in one transaction; the largest take a tenth of a second. */
  moduleEntriesForgottenAtOnce: 100,
  /** How long a call waits for vectors of its texts, or for a search in them, unless its module says otherwise. */
  embeddingDeadlineMs: 300,
  /** Until the process that makes vectors is ready; it takes half a second. Who can't wait as long doesn't wait for it at all. */
  embedderStartMs: 15_000,
  /** What it has to do already when a call comes that would wait behind it: more, and the call goes on without. */
  embedderBacklogMs: 100,
  /** Texts and pairs that wait for it, those of work after calls included. */
  embedderWaitingMax: 512,
  /** So many it has at once, so that the next is there when one is done. */
  embedderInFlight: 2,
  /** One text takes 100 ms at most; who takes this long hangs, and is killed. */
  embedderStuckMs: 10_000,
  /** How long it rests after it ended by itself, from the first time to the longest; after so much steady work all is forgotten. */
  embedderRestMsMin: 1000,
  embedderRestMsMax: 60_000,
  embedderSteadyMs: 60_000,
  /** How long nobody tries again where it said that it can't run here. */
  embedderUnusableMs: 600_000,
  /** Of a longer text so much of its beginning and of its end is looked at: more than its models read of either. */
  embeddedCharacters: { beginning: 8000, end: 2000 },
  /** Vectors of texts that a process remembers, two kilobytes each. */
  vectorsRemembered: 2000,
  /** Vectors of texts that are nobody's secret, half a kilobyte each: the tools of hundreds of servers. */
  keptTextsMax: 50_000,
  /** They are made again after this: a text that is still in use costs a few milliseconds in a season. */
  keptTextLifeMs: 90 * 86_400_000,
  /** Texts in one question to a provider of vectors. */
  embeddedAtOnce: 100,
  /** Values of one vector; the largest models have 4,096. */
  vectorValuesMax: 4096,
  /** Memory of a process for vectors that are searched in; those of the least recently used parts are read again. */
  vectorBytesMax: 48 * 1024 * 1024,
  /** Parts that are kept in memory, most of them small. */
  vectorPartsMax: 5000,
  /** What others added is looked for when a part is searched and that was last done so long ago. */
  vectorsFreshMs: 1000,
  /** Pieces of memory, of six kilobytes, that are searched before others get their turn: a millisecond's work or less. */
  vectorSlabsAtOnce: 1000,
  /** Of those that were found, so many more are looked up than were asked for: some may be gone. */
  vectorsSpare: 4,
  /** Vectors that one search finds, or that are removed at once. */
  vectorsFoundMax: 100,
  vectorNameCharactersMax: 128,
  /** What comes back with a vector: where something is, not the thing itself. */
  vectorDataBytesMax: 4096,
  /** Rows of vectors that are read, or deleted, in one statement: a millisecond of this thread, or five where they are very large. */
  vectorRowsAtOnce: 100,
  /** How often vectors whose time is over are deleted. */
  vectorsTidyMs: 300_000,
  /** One thing in an archive, compressed and sealed: more than 200,000 tokens of text, with pictures. */
  archivedBytesMax: 8 * 1024 * 1024,
  archiveRowsAtOnce: 100,
  /** How often what is over is deleted from archives. */
  archiveTidyMs: 300_000,
  archiveRefCharactersMax: 64,
  /** What modules decided in a conversation is forgotten when that was left alone for so long. */
  ledgerLifeMs: 30 * 86_400_000,
  /** And sooner where an account has more of them than there is room for. */
  fullLedgerLifeMs: 86_400_000,
  /** Decisions of one module that are read with a conversation: more than its turns, in an agent run of days. */
  ledgerEntriesMax: 5000,
  /** After so many new decisions a page of old ones is looked through: each is looked at twice before a store is full. */
  ledgerEntriesBetweenSweeps: 50,
  /** Conversations whose decisions are in memory, and how much of them. */
  ledgersOpen: 1000,
  ledgerCharsKept: 32 * 1024 * 1024,
  /** How long a provider keeps what it has read where nobody knows: it is rather believed to keep it. */
  cacheLifeSeconds: 600,
  /** What was sent last is remembered for a day; no cache that is read without being asked for lives longer. */
  prefixKeptSeconds: 86_400,
  /** Places of a conversation that are looked at for it: people take back a few turns, and then it is another one. */
  prefixPlacesAsked: 8,
  prefixClaimsKept: 10_000,
  /** Changes of what a provider keeps in one conversation, by declared steps: a long run takes a dozen. */
  prefixStepsMax: 50,
  /** A request that fills this share of a window, by an estimate, may not fit. */
  fullWindowShare: 0.9,
  /** Prose and code have between 3 and 4.5 characters in a token. */
  charsPerToken: 4,
  /** What clients may go on from by name stays as long as with the API that they know it from. */
  turnLifeSeconds: 30 * 86_400,
  /** Memory for such conversations; the least recently used goes first. */
  turnBytesMax: 64 * 1024 * 1024,
  /** Turns that one conversation is put together from; agents that run for days make hundreds. */
  turnsMax: 10_000,
  /** How long a module may keep a call waiting at a stretch, what it waits for further in not counted. */
  moduleDeadlineMs: 30_000,
  /** How often it is looked whether somebody takes too long. */
  timekeepingMs: 100,
  /** How long a module may go on reading an answer of a call that is over. */
  moduleAfterworkMs: 600_000,
  /** Answers that providers may be asked for in one call: more is a module that goes round in circles. */
  attemptsMax: 100,
  /** How often a model may be asked for one answer because it calls tools that the gateway answers. */
  toolRoundsMax: 8,
  /** How long such a tool may take; shorter than a module may keep a call waiting, so that the model hears of it. */
  toolAnswerMs: 20_000,
  /** Nothing is said in fewer tokens, and some providers refuse a lower limit. */
  toolRoundTokensMin: 16,
  /** Work of modules for after their calls: what runs at once, what may wait, and how long one piece may take. */
  afterworkAtOnce: 8,
  afterworkWaiting: 1000,
  afterworkMs: 120_000,
  /** A count of tokens reads this much text, a second's work or less; of more it reads an even sample. */
  tokenizedCharsMax: 1024 * 1024,
  /** And this much before it lets another count go on. */
  tokenizedAtOnceChars: 64 * 1024,
  /** Providers take a few hundred tools; of more an even sample is laid out and counted. */
  countedToolsMax: 1000,
  /** Letters without a gap that the tokenizer gets at once: its work grows with their square, 100,000 take 15 s. */
  tokenizedRunMax: 256,
  /** Rare words whose tokens are remembered; clients choose the words. */
  tokenizedWordsKept: 10_000,
  /** Counts that wait for the tokenizer; more are answered by the length of the text. */
  openCountsMax: 64,
  /** Names of models that are remembered with their price, or with having none; clients choose the names. */
  resolvedModelsMax: 1000,
  /** Models get a label of their own in metrics up to this many; then they are counted as "other". */
  metricModelsMax: 200,
  /** Combinations of format, provider, status and model that are kept bound to their counters. */
  metricBindingsMax: 5000,
  /** Hashes of passwords at once: each holds 19 MiB and a core for 12 ms, and a thread of the four that files and zlib share. */
  passwordHashesAtOnce: 2,
  /** And this many wait, half a second's work; more are told to come back. */
  passwordHashesWaiting: 64,
  /** Checks of API keys at once, apart from passwords, so that a rush of logins can't keep calls waiting. */
  keyHashesAtOnce: 2,
  /** A tenth of a millisecond each, so that the last in the line waits for 50 ms. */
  keyHashesWaiting: 1000,
  /** A stolen session token works until then, and people have to log in again after it. */
  sessionLifeMs: 7 * 86_400_000,
  /** People have a few devices; scripts that log in and never out must not fill the table. */
  sessionsMax: 100,
  /** How exactly it is told when a session was last used: each is a write. */
  sessionUseMs: 3_600_000,
  /** What is kept of a client's name for itself. */
  sessionClientCharacters: 200,
  /** Ours have 43. */
  mailedTokenCharactersMax: 100,
  /** How long a link in a mail is good for, and how many of a kind an account can have. */
  mailedTokenLifeMs: 3_600_000,
  mailedTokensMax: 5,
  /** Mails to one person: who presses again is served, and nobody's mailbox is filled by a stranger. */
  mailsPerAccount: { most: 5, seconds: 3600 },
  /** Mails that one network address may ask for, and links that it may try. */
  mailsPerAddress: { most: 50, seconds: 3600 },
  /** Mails that wait to be sent; more are refused. */
  mailsWaiting: 1000,
  /** Mails on their way at once, tries of each, and how long the second waits; each further one four times as long. */
  mailsAtOnce: 4,
  mailTries: 5,
  mailRetryMs: 1000,
  /** How long a mail server may take to answer, and how long mails that wait keep a gateway that ends. */
  mailServerMs: 10_000,
  mailCloseMs: 3000,
  /** Tries of stored provider keys by one account: each is a call to the provider. */
  keyTestsPerAccount: { most: 30, seconds: 900 },
  /** How long a provider may take for one. */
  keyTestMs: 10_000,
  /** Each export reads all that an account has. */
  exportsPerAccount: { most: 5, seconds: 3600 },
  /** What is packed at once. */
  exportPieceCharacters: 65_536,
  /** How often it is looked whether something of accounts that are gone is to be erased, and how many are taken at once. */
  erasePollMs: 30_000,
  erasuresAtOnce: 10,
  /** Who erases is done by then, or gone, and another one begins again. */
  eraseLeaseMs: 600_000,
  /** When all places are gone through once more: calls that were under way leave something behind, and streams can take long. */
  erasePassesMs: [60_000, 900_000, 86_400_000],
  /** RFC 5321 allows no longer address. */
  emailCharactersMax: 254,
  /** A shorter password is guessed, a longer one only costs hashing time. */
  passwordCharactersMin: 8,
  passwordCharactersMax: 256,
  /** Wrong passwords for one account from one address: people need three tries, guessers thousands. */
  loginsPerAccount: { most: 10, seconds: 900 },
  /** All logins from one address, which an office or a campus may share. */
  loginsPerAddress: { most: 200, seconds: 900 },
  /** Nobody types a longer one. */
  localTokenCharactersMax: 4096,
  /** Accounts that one address may make. */
  signUpsPerAddress: { most: 100, seconds: 3600 },
  /** What the operator pays for is small: so much is read of a call, and so much answered. */
  paidBodyBytesMax: 64 * 1024,
  sandboxOutputTokensMax: 1024,
  /** Calls of a session that may fail without being counted: a provider's hiccups are not a loop. */
  sandboxGivenBackMax: 20,
  /** Sessions that are over are remembered for so long, so that they can be told so and claimed. */
  anonSessionKeptMs: 30 * 86_400_000,
  /** How late a private receipt is stored, how many wait at most, a kilobyte each, and how long a failed try rests. */
  receiptFlushMs: 250,
  receiptsWaiting: 20_000,
  receiptRetryMsMax: 5000,
  /** Receipts that are signed and stored together, five milliseconds of this thread. */
  receiptsAtOnce: 50,
  /** Of an answer that gets a receipt so much is held, to be hashed when it is out; what is longer is hashed on its way. */
  unhashedBytesMax: 256 * 1024,
  /** Receipts on one page. */
  receiptPageMax: 200,
  /** How long a quoted price holds: wallets ask a person, sometimes. */
  challengeLifeMs: 300_000,
  /** Prices that one address may ask for; an agent asks once a call. */
  challengesPerAddress: { most: 120, seconds: 60 },
  /** Challenges that are stored, half a kilobyte each; past it those that are nearest to their end go first. */
  challengesKept: 100_000,
  /** How often it is looked for those that are over or too many: after so much time, or so many new ones of a process. */
  challengesTidyMs: 10_000,
  challengesBetweenTidying: 1000,
  /** A payment that nobody works on any more is given back so soon; whoever does says so in between. */
  settlementLeaseMs: 10_000,
  settlementRenewalMs: 3000,
  /** How often it is looked for such payments, and how many of them are looked at in one go. */
  settlementSweepMs: 1000,
  settlementsAtOnce: 20,
  /** One that the processor doesn't know of is looked for so long: what it was asked for may be late. */
  settlementUnknownMs: 600_000,
  /** How long those that are over are remembered, how many at most, and how often the others are forgotten. */
  settlementKeptMs: 7 * 86_400_000,
  settlementsKept: 100_000,
  settlementsTidyMs: 60_000,
  /** How long the payment processor may take for an answer, how often it is asked for the same, and the pause before. */
  processorAnswerMs: 10_000,
  processorTries: 3,
  processorPauseMs: 250,
  /** Where a payment is looked for among those of about a time: how far clocks may differ, and pages of 100. */
  processorClockSeconds: 120,
  processorPagesMax: 50,
  /** Payments that one address may try to make; each takes a challenge, and so an honest one never gets here. */
  paymentsPerAddress: { most: 120, seconds: 60 },
  /** Calls of an address that may come to nothing after the operator has paid for them, and how many addresses are known. */
  vainCallsPerAddress: { most: 20, seconds: 600 },
  vainAddressesKept: 10_000,
  /** How long a paid answer can be asked for again, how many are kept, and how many bytes in all and of one. */
  paidAnswerKeptMs: 86_400_000,
  paidAnswersKept: 20_000,
  paidAnswersBytes: 512 * 1024 * 1024,
  paidAnswerBytesMax: 2 * 1024 * 1024,
  /** How often an answer that was paid for and cut off is made again for nothing. */
  paidMakingsMax: 3,
  /** The same bound as the processor's own keys have. */
  idempotencyKeyCharactersMax: 255,
  /** What a paid call answers at most unless it says otherwise, and what a model must have room for to be sold. */
  paidOutputTokens: 1024,
  paidOutputTokensMin: 256,
  /** Tokens of a question: half a one for each byte of words, see decision 14, and one for any other byte. */
  paidTokensPerByte: 0.5,
  paidTokensBase: 200,
  /** Lines of the ledger on one page. */
  ledgerPageMax: 200,
  /** Times that an account or a payment is asked for again because somebody else changed it meanwhile. */
  billingTries: 5,
  /** Checkouts and the like that one account may ask for; people need a few. */
  billingAsksPerAccount: { most: 200, seconds: 600 },
  /** How long a tier lasts after a payment for it has failed. */
  pastDueGraceMs: 7 * 86_400_000,
  /** News of the processor: how old it may be when it comes, how large, and how long its id is remembered. */
  eventAgeSeconds: 300,
  eventBytesMax: 1024 * 1024,
  eventsKeptMs: 30 * 86_400_000,
  /** Credits that are bought at once: no less than a card may be charged, no more than a person means. */
  creditsBoughtMin: 50_000,
  creditsBoughtMax: 1_000_000_000,
  /** Recharges of an account within a day: a program that runs wild empties no bank account. */
  rechargesInWindow: 5,
  rechargeWindowMs: 86_400_000,
  /** How often it is looked for recharges that were left or are due, how many at once, and after what time one is
   * taken for left: whoever is still at it does no harm, since both ask for the same charge. */
  rechargeSweepMs: 10_000,
  rechargesAtOnce: 50,
  rechargeLeaseMs: 15_000,
  /** Pauses after a processor that doesn't answer, from the first to the longest. */
  rechargePauseMs: 30_000,
  rechargePauseMsMax: 3_600_000,
  /** A charge is asked for again under its key for so long; the processor remembers keys for a day. */
  rechargeKeyLifeMs: 20 * 3_600_000,
  /** Addresses that browsers go to. */
  urlCharactersMax: 2048,
  /** Entries of an account's ledger on one page. */
  creditPageMax: 200,
  /** Accounts that are compared with the processor's record at a time. */
  reconciledAtOnce: 100,
  /** How often it is looked whether the command line has changed an account, and how long that waits for it. */
  mailboxMs: 200,
  mailboxWaitMs: 2000,
  /** SPEC's bound on the name of a key. */
  keyNameCharactersMax: 120,
  /** Keys that an account may have in use; people rotate a handful. */
  activeKeysMax: 100,
  /** How long a looked-up key is believed without a look at the database; its version is checked with every call. */
  keyLookupLifeMs: 60_000,
  /** How long a key that doesn't exist is believed not to. */
  keyMissLifeMs: 10_000,
  /** Keys that are remembered, half a kilobyte each, and wrong ones apart from them. */
  keyLookupsKept: 20_000,
  keyMissesKept: 5000,
  /** Lookups under way; each may wait for the database. */
  keyLookupsAtOnce: 1000,
  /** How late the time of a key's last use is stored. */
  keyUsesFlushMs: 5000,
  /** Keys whose last use waits to be stored; when the database is away for long, further ones are not noted. */
  keyUsesMax: 50_000,
  /** Providers' keys are 40 to 200 characters; a key goes into a header. */
  providerKeyCharactersMax: 500,
  /** Of a key of this length or more the last four characters tell it from others without giving it away. */
  hintedKeyCharactersMin: 12,
  /** Opened provider keys that are kept in memory. */
  openedKeysKept: 20_000,
  /** Rows that are sealed anew at a time, so that nobody waits long behind them. */
  resealedAtOnce: 100,
  /** Rows that no key opens; more mean that the secret is wrong, and not the rows. */
  unreadableKeysMax: 10_000,
  /** Of the names that a body had no place for, this many are told, this much of each. */
  toldFieldsMax: 5,
  toldFieldCharacters: 100,
  /** What is wrong with a stored pipeline fits into a header that any proxy passes on. */
  warningCharactersMax: 1000,
  /** Redis answers in a millisecond; whoever waited this long is told that it is away. */
  redisAnswerMs: 1000,
  /** Questions that wait for Redis at once; with more it is not keeping up. */
  redisPendingMax: 10_000,
  /** Pauses between tries to reach Redis, from the first to the longest. */
  redisRetryMsMin: 50,
  redisRetryMsMax: 2000,
  /** How long Redis remembers an account's version; after it, lookups are made once more. */
  versionLifeMs: 7 * 86_400_000,
  /** Accounts whose renewal is made up for when Redis is back; each is a change that somebody made by hand. */
  owedRenewalsMax: 10_000,
  /** Accounts whose counts are in memory, 300 bytes each; those of others are read from the database again. */
  countedAccountsMax: 100_000,
  /** A count outlives its period by this, for calls that began in it. */
  countGraceMs: 3_600_000,
  /** What a process says that it has under way is believed for so long; it says so again within `underWayRenewalMs`. */
  underWayLifeMs: 60_000,
  underWayRenewalMs: 20_000,
  /** How late it is told that calls have ended, where no other call tells it. */
  underWayToldMs: 500,
  /** Windows of tries in memory; addresses choose their names, and the oldest window goes first. */
  attemptWindowsMax: 100_000,
  /** Calls of an account that may fail in a minute without being counted: an outage of a provider is not a loop. */
  givenBackPerMinute: 300,
  givenBackWindowMs: 60_000,
  /** Accounts past their caps whose credits are remembered, 100 bytes each; those of others are read again. */
  creditCapsKept: 10_000,
  /** Times that a count is begun for one call; one that is lost again and again means a store that doesn't keep. */
  countBeginningsMax: 3,
  /** One value of a shelf in Redis: a long conversation with pictures, and a tenth of a second of the network. */
  shelfValueBytesMax: 8 * 1024 * 1024,
  /** Bytes on their way to such a shelf; what comes on top is not kept. */
  shelfPendingBytesMax: 64 * 1024 * 1024,
  /** Calls that are reserved ahead where many come: a kill costs no more than these, or a quarter of a second's calls. */
  reservedAheadMin: 16,
  /** And never more than such a part of what is left. */
  reservedShare: 8,
  /** How long a call waits for its reservation; then the database counts as away, and calls go on without. */
  reservationWaitMs: 3000,
  /** How often it is looked what is reserved and not needed, and how often what is needed for long is written anew. */
  reservationTrimMs: 1000,
  reservationRenewalMs: 60_000,
  /** Money that a killed process had reserved counts for the rest of its month. */
  reservationKeptMs: 32 * 86_400_000,
  /** How late usage is stored. */
  usageFlushMs: 1000,
  /** And how long a failed try to store it rests at most. */
  usageRetryMsMax: 30_000,
  /** Sums of usage that wait to be stored; past it models are summed up as "other", past twice as many whole accounts are. */
  usageSumsMax: 10_000,
  /** Batches that wait to be stored again: one that the database refuses must not hold up the others. */
  usageBatchesMax: 4,
  /** Tokens, or billionths of a dollar, of one call: a provider that says more is not believed. */
  usageFigureMax: 1e13,
  /** Tokens or searches that a provider may say it counted in one call: no model reads or writes as many. */
  toldCountMax: 100_000_000,
  /** Dollars that a provider may say one call cost; the same as `usageFigureMax`. */
  toldCostUsdMax: 10_000,
  /** How long the cost of a conversation in a trial is known after its last call; one that goes on later counts as another. */
  trialKeptSeconds: 7 * 86_400,
  /** Times that stored usage is read again because some was stored meanwhile. */
  usageReadsMax: 5,
  /** Days of one usage report: a year, leap years included. */
  usageReportDaysMax: 366,
  /** Connections to PostgreSQL of one process; its own default allows 100 in all, so that eight replicas fit. */
  databaseConnectionsMax: 10,
  /** Until a connection is there, or free; a database that is up gives one in milliseconds. */
  databaseWaitMs: 3000,
  /** What waits for a connection: at a tenth of a millisecond each, what is done in half a second. */
  databaseWaitingMax: 5000,
  /** Our statements take milliseconds; one that takes seconds waits for a lock or for a broken disk. */
  databaseStatementMs: 5000,
  /** The database gives up a statement by itself before we give up the database. */
  databaseAnswerMs: 7000,
  /** A change of the schema may rewrite a large table, and others wait for it. */
  migrationMs: 600_000,
  /** A check of the database's health; who asks wants to know soon. */
  databasePingMs: 2000,
  /** A connection that nobody used for so long is closed; and any after an hour, so that a new address is found. */
  databaseIdleMs: 30_000,
  databaseConnectionLifeSeconds: 3600,
  /** A transaction whose process is stuck or cut off gives up its locks after this. */
  databaseIdleInTransactionMs: 30_000,
  /** Rows in one statement: putting together 200 takes two or three milliseconds, in which nothing else is done. */
  databaseRowsAtOnce: 200,
  /** Statements that are kept prepared; batches have as many shapes as they have sizes. */
  preparedStatementsMax: 200,
  /** How long a batch of usage is known to have been added; who adds one again does it within minutes. */
  usageBatchKeptMs: 7 * 86_400_000,
  /** How often those that are older are deleted. */
  usageBatchCleanupMs: 3_600_000,
  /** Log lines that wait for a slow reader of our output; what comes on top is lost. */
  logLinesBytesWaiting: 16 * 1024 * 1024,
  /** How late a line is written where others came just before it: together they cost a fraction. */
  logLinesGatheredMs: 250,
  /** When the reader of our output is behind, the next try comes this much later; the pauses double while nothing moves. */
  logReaderBehindMsMin: 1,
  logReaderBehindMsMax: 64,
  /** When an output refuses lines, as a full disk does, the next try comes this much later. */
  logOutputBrokenMs: 250,
  /** What is written before calls get their turn, a fraction of a millisecond's work. */
  logBytesAtOnce: 1024 * 1024,
  /** At the end of the process a reader that takes something at least this often is waited for, */
  logReaderStillMs: 1000,
  /** but no longer than this: who stops the gateway waits, too. */
  logLastLinesMs: 5000,
  /** How deep and how wide facts are written down, and how many causes of an error: more is nobody's to read. */
  logFactsDepthMax: 5,
  logFactsMax: 100,
  logCausesMax: 10,
  /** How late a call is in the request log. */
  requestLogFlushMs: 500,
  /** A line of the journal takes microseconds. Where it takes this long the disk is too busy, and is let alone for a while. */
  journalSlowMs: 200,
  /** On one machine calls share a write for so long; with replicas each is written before its client has the end of its answer. */
  journalDelayMs: 2,
  journalRestMs: 30_000,
  /** Calls that are stored in one statement, ten milliseconds of the database's time. */
  requestLogRowsAtOnce: 500,
  /** Calls that wait to be stored, a kilobyte each: half a minute of a thousand a second. More are not logged. */
  requestLogRowsWaiting: 30_000,
  /** How long a failed try to store them rests at most, and how often the database may refuse them. */
  requestLogRetryMsMax: 5000,
  requestLogRefusalsMax: 3,
  /** Who reads the log waits this long for the latest calls to be stored. */
  requestLogReadFlushMs: 1000,
  /** Of what clients and modules word, this much is kept: a million calls must stay within a gigabyte or so. */
  requestLogPipelineCharacters: 1000,
  requestLogStepsMax: 32,
  requestLogFactsMax: 8,
  requestLogFactCharacters: 100,
  /** Calls on one page. */
  requestLogPageMax: 200,
  /** Calls that are counted or looked through in one statement, ten milliseconds of the database's time. */
  requestLogSearchRows: 20_000,
  /** How long a search for what is rare goes on before it tells what it found. */
  requestLogSearchMs: 120,
  /** Calls that a summary is made of, and those of them that are read at once: a few milliseconds of this thread's time. */
  requestLogSummaryRows: 10_000,
  requestLogSummaryPage: 500,
  /** How often the log is cleaned, and how long nobody else does it then. */
  requestLogCleanupMs: 60_000,
  requestLogCleanerMs: 120_000,
  /** Calls that are deleted in one statement, and the pause after it, in which others have their turn. */
  requestLogForgottenAtOnce: 500,
  requestLogForgetPauseMs: 50,
  /** Requests whose meaning is remembered. */
  meaningsKept: 1000,
  /** When the gateway stops, what is only in memory gets this long to be stored. */
  lastFlushMs: 10_000,
  /** A part of the gateway that takes longer to close, a little more than that, is left behind, so that the others do. */
  partEndMs: 12_000,
  /** Processes on one port: few machines have more cores, and each takes 150 MB or more. */
  workersMax: 64,
  /** The primary process answers in well under a millisecond; whoever waited this long is told that it is stuck. */
  workerAnswerMs: 1000,
  /** How often those who waited too long are looked for. */
  workerSweepMs: 100,
  /** Questions of one process to another without an answer; with more it is not keeping up. */
  workerPendingMax: 10_000,
  /** A process is ready in a second, unless it waits for a change of the schema. */
  workerStartMs: 660_000,
  /** A process whose calls are over stores what it knows, twice `lastFlushMs` at most; then it is killed. */
  workerEndMs: 25_000,
  /** When its calls to models are over, everything else gets this long: none of it waits for a provider. */
  workerLastAnswersMs: 1000,
  /** Pauses before a process that ended is replaced, from the second time on; the first is replaced at once. */
  workerRestMsMin: 250,
  workerRestMsMax: 10_000,
  /** One that ran for so long did not end because of how it was started. */
  workerSteadyMs: 60_000,
  /** After a reload, how long calls may go on under the settings from before: as long as clients wait for an answer. */
  handOverMs: 600_000,
  /** Crews of processes at once, after reloads in a row; the oldest is then closed as if the gateway were to stop. */
  crewsMax: 4,
  /** Figures of all processes are there in milliseconds; of one that is busy for longer the last ones are taken. */
  workerFiguresMs: 500,
  /** Series of processes that ended are added up; past this many, those of further models are let go. */
  keptSeriesMax: 20_000,
  /** What a process that was killed had held counts as spent after this; living ones renew their holds long before. */
  holdLifeMs: 600_000,
  /** How often a hold is renewed, and how often what could not be settled is tried again. */
  holdRenewalMs: 60_000,
  settleRetryMs: 2000,
  /** A purse that nobody used for so long is counted from the database again, where by then everything is. */
  purseIdleMs: 3_600_000,
  /** Keys whose spending is in memory, 300 bytes each; that of others is read from the database again. */
  pursesMax: 100_000,
} as const;
