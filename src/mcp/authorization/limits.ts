/** Limits of authorizations at MCP servers. Each name has its unit. */
export const limits = {
  /** Metadata and token responses have a few kilobytes; hostile ones have no end. */
  answerBytesMax: 128 * 1024,
  /** An issuer answers within seconds; a person waits for it. */
  answerMs: 10_000,
  /** Scopes that a server asks for: a person has to be able to read them. */
  scopesMax: 50,
  scopeCharactersMax: 2000,
  /** Tokens go into headers, where servers accept 8 KiB. */
  tokenCharactersMax: 8000,
  addressCharactersMax: 2000,
  /** From the consent until the issuer sends the person back, with a login there. */
  attemptLifeMs: 600_000,
  /** How long the consent page may be open. */
  consentLifeMs: 900_000,
  /** A refresh takes one request; longer than its timeout, so that no other process sends the same refresh token meanwhile. */
  refreshLeaseMs: 20_000,
  /** How often a process looks whether another one has refreshed. */
  refreshPollMs: 100,
  /** Tokens are refreshed so long before they end, or after four fifths of their life: clocks differ, and requests take time. */
  refreshAheadMs: 60_000,
  /** A token that is rejected so soon after it was made is not worth another. */
  freshTokenMs: 10_000,
  /** Metadata of issuers is read again after this. */
  issuerFreshMs: 300_000,
  cachedIssuersMax: 1000,
  /** Clients that an account has registered at issuers. */
  clientsMax: 50,
  /** Consent pages of a person, each of which makes up to six requests to addresses that others choose. */
  discoveriesPerPerson: { most: 60, seconds: 600 },
  callbacksPerAddress: { most: 300, seconds: 900 },
} as const;
