import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { Allowance } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';

interface CapReachedDetails {
  readonly allowance: Allowance;
  /** The cap of the tier, where credits pay for more. */
  readonly paidPast: number | undefined;
  readonly upgradeUrl: string;
  readonly nowMs: number;
}

export function capReachedError({ allowance, paidPast, upgradeUrl, nowMs }: CapReachedDetails): GatewayError {
  const { limit, periodEndMs } = allowance;
  const resetsAt = new Date(periodEndMs).toISOString();
  return new GatewayError(
    'tier_cap_reached',
    `all ${paidPast ?? limit} calls of this period are used${paidPast === undefined ? '' : ', and no credits are left for more'}; the next period begins at ${resetsAt}, and ${upgradeUrl} has larger plans`,
    {
      retryAfterSeconds: Math.max(1, Math.ceil((periodEndMs - nowMs) / 1000)),
      resetsAtMs: periodEndMs,
      upgradeUrl,
    },
  );
}

/** A call under way that fails gives its slot back, so that this may change at any moment. */
export function capHeldInFlightError({ limit }: Allowance, held: number): GatewayError {
  const underWay = held === 1 ? '1 call under way' : `${held} calls under way`;
  return new GatewayError(
    'concurrency_limit',
    `what is left of the ${limit} calls of this period is held by ${underWay}; try again when one has ended`,
    { retryAfterSeconds: 1 },
  );
}

export function tooManyFailuresError(retryAfterSeconds: number): GatewayError {
  return new GatewayError(
    'too_many_failures',
    `more than ${limits.givenBackPerMinute} calls of this account failed within a minute; the next is let through in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}

export function countLostError(): GatewayError {
  return storageUnavailable('the count of calls is lost as soon as it is begun');
}
