/** What all names of an account begin with, or all of a shelf, by its hash. */
export function keyPrefix(name: string): string {
  return `weir:{${name}}:`;
}

/** Names in Redis. An account's are in one slot of a cluster, by the braces around its id. */
export const keys = {
  version: (accountId: string) => `weir:{${accountId}}:version`,
  count: (accountId: string, periodStartMs: number) => `weir:{${accountId}}:calls:${periodStartMs}`,
  inFlight: (accountId: string, periodStartMs: number) => `weir:{${accountId}}:under-way:${periodStartMs}`,
  givenBack: (accountId: string) => `weir:{${accountId}}:given-back`,
  budget: (accountId: string, keyId: string) => `weir:{${accountId}}:purse:${keyId}`,
  holds: (accountId: string, keyId: string) => `weir:{${accountId}}:holds:${keyId}`,
  rateLimit: (hash: string) => `weir:attempts:${hash}`,
  cacheEntry: (scope: string, hash: string) => `weir:{${scope}}:shelf:${hash}`,
  /** Since when what lies on a shelf counts. */
  cacheGeneration: (scope: string) => `weir:{${scope}}:shelf-mark`,
} as const;
