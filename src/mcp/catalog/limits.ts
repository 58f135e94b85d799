/** Limits of the merged catalogue. */
export const limits = {
  /** The longest name of a tool that OpenAI, Anthropic and Google accept. */
  nameMax: 64,
  /** How long a list waits for a server that has none yet; later it is listed without that server. */
  listWaitMs: 3000,
  /** How long a request for a list may take in the background. */
  listRequestMs: 30_000,
  /** For how long an expired list is used while a newer one is on its way. */
  staleMs: 60_000,
  /** The longest time for which a list counts as new, whatever its server says: access may have changed there. */
  ttlMsMax: 3_600_000,
  /** For how long the last list of a server that is away is used: agents depend on tools that don't come and go. */
  lastGoodMs: 86_400_000,
  /** A call of an unknown tool asks its server for a newer list, but not more often than this. */
  renewalMs: 1000,
  /** After a failure, a server is asked again after this time, which doubles up to the maximum. */
  retryMs: 1000,
  retryMsMax: 60_000,
  /** Lists in memory, for all accounts; least used ones are dropped. */
  listsMax: 8000,
  /** Items in a page. Most clients read tools in one request, and some read one page only. */
  pageItemsMax: 1000,
  /** A cursor is the name of an item. */
  cursorCharactersMax: 2000,
  /** Changes of a server are watched for as long as its lists are used, and this much longer. */
  watchMs: 600_000,
  watchesMax: 500,
  /** A stream of changes that ends is opened again after this time. */
  watchRetryMs: 30_000,
  /** How often an open stream looks for servers that were added, removed or changed. */
  serversCheckMs: 30_000,
} as const;
