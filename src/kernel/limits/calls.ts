/** The request path. */
export const callsLimits = {
  /** Providers refuse bodies over 32 MB; decoding stops here, so a small compressed bomb can't grow past it. */
  bodyBytesMax: 32 * 1024 * 1024,
  /** Deeper than any real request or answer; recursive walks over a body stay within the stack. */
  jsonDepthMax: 200,
  /**
   * Array positions that a provider may skip when it streams tool arguments by path: empty arrays and objects have no
   * value to send.
   */
  listGapMax: 100,
  /** Longer than any provider's; names are cached and repeated in errors, so a client must not choose how much. */
  modelNameMax: 256,
  /**
   * Weir's own routes accept small objects, of which a pipeline of 8,000 characters is the largest; anyone may send
   * them.
   */
  ownBodyBytesMax: 64 * 1024,
  /** Header names whose handling is cached. */
  headerNamesMax: 500,
  /** Error responses of providers have a few hundred bytes; a larger one is not an error message. */
  errorBodyBytesMax: 1024 * 1024,
  /** Length of foreign error messages quoted in ours. */
  quotedTextMax: 2000,
  /** An unstreamed answer is buffered up to this size, so that its cost fits in a header. */
  bufferedAnswerBytesMax: 1024 * 1024,
  /** How much of an unstreamed answer is buffered for observers; of a longer one, its end. */
  watchedAnswerBytesMax: 2 * 1024 * 1024,
  watchedTailBytes: 64 * 1024,
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
  /** Bytes of one answer read ahead of a slow client before the provider's socket is paused. */
  readAheadBytesMax: 256 * 1024,
  /** One server-sent frame: 4 MiB of tool arguments must fit, an endless line must not. */
  frameBytesMax: 16 * 1024 * 1024,
  /** How long the start of a stream is watched for an error before the client gets its headers. */
  commitWaitMs: 5000,
  /** And how much of it is buffered meanwhile. */
  commitBytesMax: 256 * 1024,
  /** Providers end a stream with its error; one that doesn't must not delay a retry. */
  errorTailMs: 1000,
  /** Connecting to a provider takes milliseconds; after ten seconds it is unreachable. */
  connectTimeoutMs: 10_000,
  /** Customer addresses with pooled connections; for others, new connections are made. */
  customOriginsMax: 256,
  /** Cached access tokens for service accounts of callers, a kilobyte each. */
  cachedAccessTokensMax: 2000,
  /** A token is renewed if it expires within this time, and used meanwhile. */
  accessTokenRenewalMs: 5 * 60_000,
  /** It isn't used if it expires within this time. */
  accessTokenValidMsMin: 10_000,
  /** Issuing a token takes half a second. */
  accessTokenWaitMs: 10_000,
  /** Attempts to connect to a provider before anything was sent. */
  connectAttemptsMax: 3,
  /**
   * Values in one body, estimated by commas and brackets: long agent runs have some ten thousand. Parsing this many
   * takes a tenth of a second.
   */
  jsonValuesMax: 250_000,
  /** A schema grows with each reference that is inlined; tools of agents have some hundred values. */
  resolvedSchemaValuesMax: 10_000,
  /** Approximate memory of a parsed value. */
  parsedValueBytes: 64,
  /** The share of the heap for requests in flight of all callers together, and the share of that for one caller. */
  bodyMemoryShareOfHeap: 0.25,
  bodyMemoryShareOfCaller: 0.5,
  /** Maximum for one caller on any machine: eight of the largest requests. */
  bodyMemoryBytesOfCallerMax: 256 * 1024 * 1024,
  /** Minimum on a small heap: a few of the largest requests. */
  bodyMemoryBytesMin: 128 * 1024 * 1024,
  /** Requests up to this size are not counted by caller. */
  smallBodyBytes: 16 * 1024,
  /** A parsed body of this size or more is dropped while its provider works, and parsed again if needed. */
  reparsedBodyBytesMin: 64 * 1024,
  /** A body of this size or more is freed when its call ends, without waiting for the garbage collector. */
  eagerlyFreedBodyBytesMin: 64 * 1024,
  /** Grace period of a body; after that it must have arrived at this average rate. */
  slowBodyGraceMs: 10_000,
  slowBodyBytesPerSecond: 8 * 1024,
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
  /** Clients sleep silently as long as `retry-after` says: for a longer wait they get an error that says why. */
  retryAfterSecondsMax: 60,
  /** 24 days: a timer of 2^31 ms or more fires at once. */
  timerMsMax: 24 * 86_400_000,
  /** Model names cached with their price, or with having none; clients choose the names. */
  resolvedModelsMax: 1000,
} as const;
