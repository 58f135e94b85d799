/** The standard `fetch`, through the gateway's egress. Redirects are errors, unless `redirect` is `manual`. */
export type EgressFetch = (input: string | URL | Request, init?: EgressRequest) => Promise<Response>;

export interface EgressRequest extends Omit<RequestInit, 'dispatcher'> {
  /** Timeout of the whole response with its body; 30 s by default. */
  readonly timeoutMs?: number;
  /** Maximum size of the decompressed body; 16 MiB by default. */
  readonly maxBytes?: number;
}
