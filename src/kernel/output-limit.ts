import type { Exchange } from './exchange.ts';
import { wireTowards } from './provider.ts';

/** Whether the limit of output is the gateway's to choose: the provider's format requires one, and the client gave none. */
export function choosesOutputLimit(exchange: Exchange): boolean {
  const { received, target } = exchange;
  const wire = wireTowards(target, received.wire);
  if (wire === undefined || wire === received.wire || wire.requiresOutputLimit !== true) return false;
  return exchange.request.max_tokens === undefined;
}
