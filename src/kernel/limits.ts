/** Every bound of the request path, with its unit in the name and its reason beside it. */
export const limits = {
  /** Providers refuse bodies over 32 MB; decoding stops here, so a small compressed bomb can't grow past it. */
  bodyBytesMax: 32 * 1024 * 1024,
  /** Deeper than any real request; recursive walks over a body stay within the stack. */
  jsonDepthMax: 200,
  /** Longer than any vendor's; names are remembered and repeated in errors, so a client must not choose how much. */
  modelNameMax: 256,
  /** Own routes take small objects; nothing there is near a megabyte. */
  ownBodyBytesMax: 1024 * 1024,
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
  /** A client has this long to send its headers and its body. */
  requestHeadersMs: 60_000,
  requestBodyMs: 300_000,
  /** A client that was refused while it sends gets this long, and this much more is thrown away, before it is cut off. */
  lingerMs: 10_000,
  lingerBytesMax: 64 * 1024 * 1024,
  /** 24 days: a timer that is set to 2^31 ms or more fires at once instead. */
  timerMsMax: 24 * 86_400_000,
  /** Memory that modules share for what they keep. */
  shelfBytesMax: 64 * 1024 * 1024,
  /** What clients may go on from by name stays as long as with the API that they know it from. */
  turnLifeSeconds: 30 * 86_400,
  /** Memory for such conversations; the least recently used goes first. */
  turnBytesMax: 64 * 1024 * 1024,
  /** Turns that one conversation is put together from; agents that run for days make hundreds. */
  turnsMax: 10_000,
  /** A request that waits for an identical one in flight goes on by itself after this. */
  singleFlightWaitMs: 60_000,
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
  /** Models get a label of their own in metrics up to this many; then they are counted as "other". */
  metricModelsMax: 200,
  /** Combinations of format, provider, status and model that are kept bound to their counters. */
  metricBindingsMax: 5000,
} as const;
