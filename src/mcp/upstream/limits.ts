/** Limits of connections to MCP servers, which may be hostile. Each name has its unit. */
export const limits = {
  /** One message: results with pictures have a few megabytes. */
  messageBytesMax: 16 * 1024 * 1024,
  /** Deeper JSON comes from nobody; recursive functions must survive it. */
  messageDepthMax: 100,
  /** Values in one message: each takes memory beside its bytes. */
  messageValuesMax: 500_000,
  /** All bytes of one response with its notifications. */
  responseBytesMax: 64 * 1024 * 1024,
  /** Messages of one response: progress a few times a second for an hour. */
  responseMessagesMax: 20_000,
  /** Messages that belong to no request, since the last that does. */
  strayMessagesMax: 1000,
  /** Items in a message of the batches that revision 2025-03-26 had. */
  batchMessagesMax: 100,
  /** The body of an HTTP error: it has a reason, or a page of a proxy. */
  errorBytesMax: 64 * 1024,
  /** What an error message repeats of a server's text. */
  reasonCharactersMax: 300,
  listPagesMax: 200,
  /** Models get lost in a tenth of this. */
  listItemsMax: 5000,
  listBytesMax: 16 * 1024 * 1024,
  cursorCharactersMax: 64 * 1024,
  nameCharactersMax: 256,
  uriCharactersMax: 8192,
  /** Reports about items that are left out of a list. */
  leftOutMax: 20,
  /** How long a list may be cached, whatever the server says. */
  listTtlMsMax: 24 * 60 * 60 * 1000,
  /** One request, whatever progress it reports. */
  requestMsMax: 60 * 60 * 1000,
  /** `server/discover` and `initialize`: they do no work. */
  negotiationMs: 15_000,
  /** A program that knows no `server/discover` may ignore it. */
  probeOfProgramMs: 5000,
  /** Requests of the server arrive on a stream of its own, which has to be open first. */
  streamOpenMs: 1000,
  /** A cancellation or the end of a session; nobody waits for longer. */
  farewellMs: 3000,
  /** How often a broken response stream is resumed. */
  resumesMax: 5,
  resumeMsMax: 10_000,
  /** How long a call waits for the answers of its client. */
  inputWaitMs: 10 * 60 * 1000,
  /** Calls of one connection that wait. */
  inputWaitsMax: 100,
  /** Questions of one call. */
  inputRequestsMax: 50,
  /** How often a process looks for what another has written, and how soon that must have seen answers. */
  mailPollMs: 250,
  mailSeenMs: 5000,
  /** How long such mail is kept. */
  mailSeconds: 900,
  /** Between attempts to open a subscription again. */
  listenPauseMs: 1000,
  listenPauseMsMax: 60_000,
  /** Resources of one subscription. */
  subscribedResourcesMax: 1000,
  /** Connections in this process; each has at most a session and a stream. */
  connectionsMax: 5000,
  /** Connections without requests are closed after this. */
  idleMs: 10 * 60 * 1000,
  /** Programs in this process. */
  programsMax: 64,
  /** Programs of one account. */
  programsOfAccountMax: 16,
  /** A line that a program writes to its error output, and how many lines a minute go to the log. */
  errorLineCharactersMax: 2000,
  errorLinesPerMinute: 60,
  /** Between starts of a program that ends by itself. */
  restartPauseMs: 500,
  restartPauseMsMax: 60_000,
  /** A program that ran for this long has started well. */
  startedWellMs: 30_000,
  /** Between closing a program's input, SIGTERM and SIGKILL. */
  stopMs: 2000,
} as const;
