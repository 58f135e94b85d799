/** The prefix of all keys of an account (by its id) or of a cache scope (by its hash). */
export function keyPrefix(name: string): string {
  return `weir:{${name}}:`;
}

/** Keys in Redis. The braces around its id put all keys of an account into one slot of a cluster. */
export const keys = {
  version: (accountId: string) => `weir:{${accountId}}:version`,
  /** The server whose process has counted the calls. */
  server: (accountId: string) => `weir:{${accountId}}:server`,
  count: (accountId: string, periodStartMs: number) => `weir:{${accountId}}:calls:${periodStartMs}`,
  inFlight: (accountId: string, periodStartMs: number) => `weir:{${accountId}}:under-way:${periodStartMs}`,
  givenBack: (accountId: string) => `weir:{${accountId}}:given-back`,
  budget: (accountId: string, keyId: string) => `weir:{${accountId}}:purse:${keyId}`,
  holds: (accountId: string, keyId: string) => `weir:{${accountId}}:holds:${keyId}`,
  rateLimit: (hash: string) => `weir:attempts:${hash}`,
  health: (hash: string) => `weir:health:${hash}`,
  cacheEntry: (scope: string, hash: string) => `weir:{${scope}}:shelf:${hash}`,
  moduleCount: (scope: string, hash: string) => `weir:{${scope}}:count:${hash}`,
  moduleSlots: (scope: string, hash: string) => `weir:{${scope}}:slots:${hash}`,
  rate: (scope: string, hash: string, of: 'requests' | 'tokens' | 'calls') =>
    `weir:{${scope}}:rate:${hash}:${of}`,
  /** Entries of another generation are stale. */
  cacheGeneration: (scope: string) => `weir:{${scope}}:shelf-mark`,
} as const;
