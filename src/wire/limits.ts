/** Limits of wire formats. Each name has its unit. */
export const limits = {
  /**
   * Array positions that a provider may skip when it streams tool arguments by path: empty arrays and objects have no
   * value to send.
   */
  listGapMax: 100,
  /** Items on one page of a stored response's input; OpenAI's own limit. */
  inputItemPageMax: 100,
  /** How much of an unstreamed answer is buffered for observers; of a longer one, its end. */
  watchedAnswerBytesMax: 2 * 1024 * 1024,
  watchedTailBytes: 64 * 1024,
  /** One server-sent frame: 4 MiB of tool arguments must fit, an endless line must not. */
  frameBytesMax: 16 * 1024 * 1024,
  /** A schema grows with each reference that is inlined; tools of agents have some hundred values. */
  resolvedSchemaValuesMax: 10_000,
  /** Clients sleep silently as long as `retry-after` says: for a longer wait they get an error that says why. */
  retryAfterSecondsMax: 60,
  /** Maximum tokens or searches that a provider may report for one call: no model reads or writes as many. */
  reportedCountMax: 100_000_000,
  /** Maximum dollars that a provider may report for one call; the same as `usageFigureMax`. */
  reportedCostUsdMax: 10_000,
  /** A client chooses the names of its lanes on a WebSocket; every event repeats it. */
  laneCharactersMax: 256,
  /** Texts of a message among which the parts of a joined text are looked for: the time grows with their square. */
  joinedTextsMax: 100,
  /** Files or batches on one page of a list. */
  storedObjectPageMax: 100,
  /** Pages without a wish, as in the providers' own lists. */
  anthropicObjectPage: 20,
  geminiObjectPage: 10,
} as const;
