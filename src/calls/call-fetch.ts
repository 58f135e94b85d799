import type { Exchange } from '../kernel/exchange.ts';
import type { EgressFetch } from '../kernel/ports/fetch.ts';

/** A `fetch` that ends when the client leaves; after the call it goes on without the client. */
export function fetchDuringCall(egressFetch: EgressFetch, { presence, trace }: Exchange): EgressFetch {
  return (input, init) => {
    if (trace.isEnded) return egressFetch(input, init);
    const given = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const signal = given === undefined ? presence.signal : AbortSignal.any([given, presence.signal]);
    return egressFetch(input, { ...init, signal });
  };
}
