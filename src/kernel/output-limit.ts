import type { Exchange } from './exchange.ts';
import { chooseWire } from './provider.ts';

/** Whether the gateway must choose the output limit: the provider's format requires one, and the client set none. */
export function choosesOutputLimit(exchange: Exchange): boolean {
  const { clientRequest, target } = exchange;
  const wire = chooseWire(target, clientRequest.wire);
  if (wire === undefined || wire === clientRequest.wire || wire.requiresOutputLimit !== true) return false;
  return exchange.request.max_tokens === undefined;
}
