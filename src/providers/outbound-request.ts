import type { Exchange } from '../kernel/exchange.ts';
import { chooseWire } from '../kernel/provider.ts';
import type { OutboundRequest } from '../kernel/signing.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';

type EncodedRequest = Pick<OutboundRequest, 'path' | 'headers' | 'body'>;

export function buildOutboundRequest(
  exchange: Exchange,
  wire: ProviderFormat,
  { path, headers, body }: EncodedRequest,
): OutboundRequest {
  const { provider, model } = exchange.target;
  return {
    provider,
    method: 'POST',
    modelCall: { wire, model, streamed: isStreamed(exchange) },
    path,
    headers,
    body,
  };
}

export function wireFor({ clientRequest, target }: Exchange): ProviderFormat {
  const wire = chooseWire(target, clientRequest.wire);
  if (wire === undefined) throw new Error(`${target.provider.name} has no wire format`);
  return wire;
}

export function isStreamed(exchange: Exchange): boolean {
  return exchange.isUnmodified ? exchange.clientRequest.streamed : exchange.request.stream === true;
}
