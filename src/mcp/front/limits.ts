/** Limits of the MCP endpoint. */
export const limits = {
  /** Arguments of tools may have files in them; models write a few kilobytes. */
  bodyBytesMax: 4 * 1024 * 1024,
  /** A request without a result or a notification becomes a stream after this time: proxies end what is silent. */
  streamAfterMs: 5000,
  /** The time between keep-alive comments. */
  keepAliveMs: 15_000,
  /** What a stream holds for a client that reads slowly; progress beyond it is left out. */
  streamBytesMax: 1024 * 1024,
  /** Requests under way for one account in one process, beside its rate limits. */
  requestsPerAccountMax: 256,
  /** Open streams of changes for one account in one process. */
  streamsPerAccountMax: 64,
  /** Resources that one stream or session follows. */
  subscriptionsMax: 100,
  /** Sessions end when they have not been used for this time. */
  sessionSeconds: 86_400,
  /** A session in use is renewed no more often than this. */
  sessionRenewalMs: 600_000,
  /** What a client says of itself, which is stored with its session. */
  clientBytesMax: 16_384,
  /** How long a server waits for the answer of a person to its question. */
  answerMs: 300_000,
  /** How often a server may ask for input in one call. */
  inputRoundsMax: 10,
  /** Another replica may receive an answer or a cancellation: this is how often the store is asked for it. */
  mailboxMs: 500,
  mailboxSeconds: 60,
  /** For how long a call may be continued with the answers to a server's questions. */
  requestStateMs: 3_600_000,
  requestStateBytesMax: 65_536,
  /** For how long clients may keep what the gateway says of itself. */
  discoveryMs: 300_000,
  /** How often a stream of changes asks whether its session has ended. */
  sessionCheckMs: 5000,
} as const;
