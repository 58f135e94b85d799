import { runInAirgap } from '../egress/airgapped-calls.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { EgressFetch } from '../kernel/ports/fetch.ts';

/** A `fetch` that ends when the client leaves; after the call it goes on without the client. In an airgap it is refused. */
export function fetchDuringCall(egressFetch: EgressFetch, { presence, trace }: Exchange): EgressFetch {
  if (trace.isAirgapped) return (input, init) => runInAirgap(trace.egress, () => egressFetch(input, init));
  return (input, init) => {
    if (trace.isEnded) return egressFetch(input, init);
    const given = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const signal = given === undefined ? presence.signal : AbortSignal.any([given, presence.signal]);
    return egressFetch(input, { ...init, signal });
  };
}
