/** Limits of MCP tools in calls. Each name has its unit. */
export const limits = {
  /** Tools in one call: models choose badly among more, and each costs tokens. mcp-optimizer omits those that aren't needed. */
  toolsMax: 1000,
  /** The longest name that all providers accept is 64; three are left for a number that keeps it apart from the client's. */
  toolNameCharactersMax: 61,
  /** Hexadecimal digits of a digest in a name that had to change. */
  nameDigestCharacters: 8,
  /** A definition larger than this is left out: a model would have to read it in every call. */
  definitionCharactersMax: 32_768,
  /** Longer than `total_seconds`: a call that the client has approved runs before the model is asked. */
  deadlineMs: 930_000,
  /** The gateway ends a call by itself; this is for one that ignores that. */
  timeoutGraceMs: 2000,
  /** `tool-cache` has the time for which answers are cached; no plan of a server is longer. */
  cachedAnswerSeconds: 30 * 86_400,
  /** Calls of one answer that run at the same time: a burst must not take all connections of a server. */
  callsAtOnceMax: 8,
  /** Calls in one call of the client. */
  callsMax: 64,
  /** Pictures and files of one result, decoded: what providers accept in a message. */
  mediaBytesMax: 5 * 1024 * 1024,
  /** How long a list of tools is stored: longer than the decisions of a conversation. */
  listLifeSeconds: 90 * 86_400,
  /** All lists of an account: some hundred large ones. */
  listsBytesMax: 64 * 1024 * 1024,
  listBytesMax: 8 * 1024 * 1024,
  /** Lists in memory, most of them the same list for all conversations of an account. */
  listsInMemoryMax: 200,
  /** Different lists for conversations that begin with the same message. */
  firstListsMax: 32,
  /** Servers whose definitions are remembered for an account. */
  serversMax: 1000,
  /** Tools of one server whose definitions are remembered: more than any server has. */
  knownToolsMax: 5000,
  /** How much of a description is shown to the person who approves a change. */
  shownDescriptionCharacters: 400,
  /** The largest `max_usd`: a million dollars. */
  maxUsdMax: 1_000_000,
  /** The longest answer of a client that counts as yes or no. */
  decisionCharactersMax: 200,
} as const;
