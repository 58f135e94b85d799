/** The request path. */
export const callsLimits = {
  /** Providers refuse bodies over 32 MB; decoding stops here, so a small compressed bomb can't grow past it. */
  bodyBytesMax: 32 * 1024 * 1024,
  /** Deeper than any real request or answer; recursive walks over a body stay within the stack. */
  jsonDepthMax: 200,
  /** Places of a list that a provider may pass over when it tells a call's arguments by their places: empty lists and objects have no value to tell. */
  listGapMax: 100,
  /** Longer than any vendor's; names are remembered and repeated in errors, so a client must not choose how much. */
  modelNameMax: 256,
  /** Own routes take small objects, of which a pipeline of 8,000 characters is the largest; strangers may send these. */
  ownBodyBytesMax: 64 * 1024,
  /** Header names whose fate is remembered. */
  headerNamesMax: 500,
  /** Error answers of providers are a few hundred bytes; a larger one is not an error message. */
  errorBodyBytesMax: 1024 * 1024,
  /** Of somebody else's error message this much is quoted in ours. */
  quotedTextMax: 2000,
  /** An unstreamed answer is held up to this size, so that its cost can stand in a header. */
  bufferedAnswerBytesMax: 1024 * 1024,
  /** Of an unstreamed answer that is only watched, this much is held; of a longer one, its end. */
  watchedAnswerBytesMax: 2 * 1024 * 1024,
  watchedTailBytes: 64 * 1024,
  /** Of an answer that is read whole, for another format or for a module: all of an unstreamed one, the content of a stream. The largest have pictures in them. */
  readAnswerBytesMax: 32 * 1024 * 1024,
  /** All bytes of a stream that is read: its frames are some ten times as long as their content. */
  readStreamBytesMax: 256 * 1024 * 1024,
  /** So much of an answer is read for another format before other calls get a turn of the event loop; reading and writing a megabyte of it takes 30 ms. */
  readAtOnceBytesMax: 256 * 1024,
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
  /** Customers' own addresses to which connections are kept; of one that is used again later, new ones are made. */
  customOriginsMax: 256,
  /** Tokens that were asked for with accounts of callers, a kilobyte each. */
  cachedAccessTokensMax: 2000,
  /** A token is renewed when it holds for less than this, and used meanwhile. */
  accessTokenRenewalMs: 5 * 60_000,
  /** It isn't used when it holds for less than this. */
  accessTokenValidMsMin: 10_000,
  /** Giving out a token takes half a second. */
  accessTokenWaitMs: 10_000,
  /** Tries to reach a provider when nothing was sent yet. */
  connectAttemptsMax: 3,
  /** Values in one body, as commas and brackets tell: long agent runs have some ten thousand. Parsing as many takes a tenth of a second. */
  jsonValuesMax: 250_000,
  /** A schema in which references are written out grows with each of them; tools of agents have some hundred values. */
  resolvedSchemaValuesMax: 10_000,
  /** What a parsed value takes in memory, about. */
  parsedValueBytes: 64,
  /** Of the heap, so much may be held for requests under way by all callers together, and of that so much by one. */
  bodyMemoryShareOfHeap: 0.25,
  bodyMemoryShareOfCaller: 0.5,
  /** And of one no more than this, however large the machine is: eight of the largest requests. */
  bodyMemoryBytesOfCallerMax: 256 * 1024 * 1024,
  /** No less than this, also on a small heap: a few of the largest requests. */
  bodyMemoryBytesMin: 128 * 1024 * 1024,
  /** Requests up to this size are not counted by caller. */
  smallBodyBytes: 16 * 1024,
  /** A parsed body from this size on is let go while its provider works, and parsed again if somebody asks. */
  reparsedBodyBytesMin: 64 * 1024,
  /** The memory of a body from this size on is given back when its call is over, without waiting for the collector. */
  eagerlyFreedBodyBytesMin: 64 * 1024,
  /** A body may take this long however slowly it comes; after that it must have come at this rate since then. */
  slowBodyGraceMs: 10_000,
  slowBodyBytesPerSecond: 8 * 1024,
  /** A request's headers, all together. */
  requestHeadBytesMax: 32 * 1024,
  /** A client has this long to send its headers and its body. */
  requestHeadersMs: 60_000,
  requestBodyMs: 300_000,
  /** A client may come back on its connection for so long. */
  idleConnectionMs: 75_000,
  /** A proxy must be the one who closes: a call may be on its way meanwhile, and is lost. Google's keep theirs for ten minutes. */
  idleProxyConnectionMs: 620_000,
  /** A client that was refused while it sends gets this long, and this much more is thrown away, before it is cut off. */
  lingerMs: 10_000,
  lingerBytesMax: 64 * 1024 * 1024,
  /** Clients sleep as long as they are told to, and say nothing meanwhile: whoever has to wait for longer is told why instead. */
  retryAfterSecondsMax: 60,
  /** 24 days: a timer that is set to 2^31 ms or more fires at once instead. */
  timerMsMax: 24 * 86_400_000,
  /** Names of models that are remembered with their price, or with having none; clients choose the names. */
  resolvedModelsMax: 1000,
} as const;
