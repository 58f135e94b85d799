/** Limits of outbound connections. Each name has its unit. */
export const limits = {
  /** Connecting takes milliseconds; after ten seconds a server is unreachable. */
  connectTimeoutMs: 10_000,
  /** A WebSocket must be open after this, connection included. */
  dnsTimeoutMs: 3000,
  handshakeMs: 5000,
  /** And closed after this. */
  closeMs: 10_000,
  /** Idle connections are closed after this: servers and proxies often do so after a minute. */
  keepAliveMs: 30_000,
  /** Timeout of a request with its whole response, if the caller sets none: as long as a module may delay a call. */
  fetchMs: 30_000,
  /** And of a server that sends nothing, for callers that wait longer. */
  fetchSilenceMs: 60_000,
  /** Maximum response, if the caller sets none: documents and search results are smaller. */
  fetchBytesMax: 16 * 1024 * 1024,
  /** Concurrent connections of one purpose to one origin; further requests wait. */
  fetchConnectionsMax: 64,
  /** Customer addresses with pooled connections; for others, new connections are made. */
  customOriginsMax: 256,
  /** Destinations with counters of their own; modules may choose hosts from texts of clients. Others share one counter. */
  destinationsMax: 1000,
} as const;
