/** Limits of the definitions of MCP servers. Each name has its unit. */
export const limits = {
  /** Servers of one account; each may hold connections and programs. */
  serversMax: 50,
  /** A definition without the description of an API. */
  definitionCharactersMax: 16 * 1024,
  /** The description of an API as it is stored, compressed. */
  packedCharactersMax: 160 * 1024,
  packedBytesMax: 2 * 1024 * 1024,
  urlCharactersMax: 500,
  argsMax: 100,
  wordCharactersMax: 2000,
  patternsMax: 200,
  patternCharactersMax: 200,
  rulesMax: 50,
  /** Headers of requests, or variables of a program. */
  secretsMax: 32,
  secretsCharactersMax: 12_000,
  timeoutMs: 60_000,
  timeoutMsMax: 10 * 60 * 1000,
  /** Tests of servers by one account. */
  testsPerAccount: { most: 60, seconds: 600 },
  /** Servers whose health this process remembers. */
  healthMax: 5000,
  /** Servers with series of their own in the metrics: those of the operator. */
  seriesMax: 100,
} as const;
