import { GatewayError } from '../kernel/errors.ts';
import type { Allowance } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { limits } from './limits.ts';

interface CapReachedDetails {
  readonly allowance: Allowance;
  /** The cap of the tier, if credits pay for more. */
  readonly paidPast: number | undefined;
  readonly upgradeUrl: string;
  readonly nowMs: number;
}

export function capReachedError({ allowance, paidPast, upgradeUrl, nowMs }: CapReachedDetails): GatewayError {
  const { limit, periodEndMs } = allowance;
  const resetsAt = new Date(periodEndMs).toISOString();
  return new GatewayError(
    'tier_cap_reached',
    `all ${paidPast ?? limit} calls of this period are used${paidPast === undefined ? '' : ', and no credits are left for more'}; the next period starts at ${resetsAt}; larger plans: ${upgradeUrl}`,
    {
      retryAfterSeconds: Math.max(1, Math.ceil((periodEndMs - nowMs) / 1000)),
      resetsAtMs: periodEndMs,
      upgradeUrl,
    },
  );
}

/** A failed call in flight gives its slot back, so this may change at any moment. */
export function capHeldInFlightError({ limit }: Allowance, held: number): GatewayError {
  const inFlight = held === 1 ? '1 call in flight' : `${held} calls in flight`;
  return new GatewayError(
    'concurrency_limit',
    `the rest of the ${limit} calls of this period is reserved by ${inFlight}; try again when one has ended`,
    { retryAfterSeconds: 1 },
  );
}

export function tooManyFailuresError(retryAfterSeconds: number): GatewayError {
  return new GatewayError(
    'too_many_failures',
    `more than ${limits.givenBackPerMinute} calls of this account failed within a minute; the next call is allowed in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}

export function countLostError(): GatewayError {
  return storageUnavailable('the call counter keeps getting lost');
}
