/** Limits of calls to providers. Each name has its unit. */
export const limits = {
  /** Keys of the operator for one provider. */
  operatorKeysMax: 50,
  /** Timeout of one test. */
  keyTestMs: 10_000,
  /** Google's service accounts have 2,400 characters; names and comments in them are removed before they are stored. */
  structuredKeyCharactersMax: 8192,
  /** Header names whose handling is cached. */
  headerNamesMax: 500,
  /** Error responses of providers have a few hundred bytes; a larger one is not an error message. */
  errorBodyBytesMax: 1024 * 1024,
  /** Length of foreign error messages quoted in ours. */
  quotedTextMax: 2000,
  /** Bytes of one answer read ahead of a slow client before the provider's socket is paused. */
  readAheadBytesMax: 256 * 1024,
  /** How long the start of a stream is watched for an error before the client gets its headers. */
  commitWaitMs: 5000,
  /** And how much of it is buffered meanwhile. */
  commitBytesMax: 256 * 1024,
  /** Providers end a stream with its error; one that doesn't must not delay a retry. */
  errorTailMs: 1000,
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
  /** WebSockets to providers of one client, which may use several providers and keys; further calls are sent over HTTP. */
  providerSocketsMax: 4,
  /** As long as agents wait for a person who thinks. */
  socketIdleMs: 10 * 60_000,
  /** Larger calls are sent over HTTP: providers don't document how large a message may be. */
  socketMessageBytesMax: 16 * 1024 * 1024,
  /** Lanes whose last answer the provider is expected to remember. */
  rememberedLanesMax: 64,
  /** Model names cached with their price, or with having none; clients choose the names. */
  resolvedModelsMax: 1000,
  /** Texts in one request to an embedding provider. */
  embeddedAtOnce: 100,
  /** Text that a token count reads, a second's work or less; of more it reads an even sample. */
  tokenizedCharsMax: 1024 * 1024,
  /** And this much before it yields to another count. */
  tokenizedAtOnceChars: 64 * 1024,
  /** Providers accept a few hundred tools; of more, an even sample is rendered and counted. */
  countedToolsMax: 1000,
  /** Letters without a gap in one tokenizer call: its work grows quadratically, 100,000 take 15 s. */
  tokenizedRunMax: 256,
  /** Cached tokens of rare words; clients choose the words. */
  tokenizedWordsKept: 10_000,
  /** Queued counts; further ones are estimated by the length of the text. */
  pendingTokenCountsMax: 64,
  /** Providers that an account defines, and the JSON of each. */
  ownProvidersMax: 20,
  ownProviderCharactersMax: 32 * 1024,
  ownProviderUrlMax: 500,
  /** Entries of each list in it. */
  ownProviderListMax: 200,
  /** Its headers, and the characters of all: servers accept about 8 to 16 KiB with those of the request. */
  ownHeadersMax: 32,
  ownHeadersCharactersMax: 6000,
  /** The longest time that an account may let a connection take. */
  ownConnectMs: 60_000,
  /** Cached targets of one account. */
  ownTargetsMax: 200,
  /** How often the provider of a session is pinged: it must answer one of two pings. */
  sessionPingMs: 30_000,
} as const;
