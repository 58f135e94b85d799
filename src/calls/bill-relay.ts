import type { Bill } from '../kernel/money.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import type { Target } from '../kernel/provider.ts';
import type { RelayRequest } from '../kernel/relay.ts';
import type { Meter } from './meter.ts';

interface RelayAttempt {
  readonly target: Target;
  readonly meter: Meter;
  readonly prices: Pick<Prices, 'bill'>;
}

/** The cost of a relayed request by the price of its route; undefined if unknown, or if there was no answer. */
export function billRelay(
  relayRequest: RelayRequest,
  { target, meter, prices }: RelayAttempt,
): Bill | undefined {
  const { price } = relayRequest.route;
  if (price === 'tokens') {
    const bill = prices.bill(target, meter.usage, { model: meter.model });
    const estimate =
      bill === undefined && meter.wasServed ? relayRequest.route.estimate?.(relayRequest) : undefined;
    if (estimate === undefined) return bill;
    meter.estimate(estimate);
    return prices.bill(target, meter.usage, { model: meter.model });
  }
  if (price === 'free') return { nanoUsd: 0, estimated: false };
  if (meter.firstContentAtMs === undefined) return undefined;
  const nanoUsd = price({ ...relayRequest, model: target.model, usage: meter.usage });
  return nanoUsd === undefined ? undefined : { nanoUsd, estimated: false };
}
