import { countAttemptByAddress } from '../kernel/address-attempts.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';

/** Counts a try of something that may be tried so often in so many seconds, and refuses what is more. */
export async function countAttempt(
  rateLimiter: RateLimiter,
  name: string,
  limit: { readonly most: number; readonly seconds: number },
): Promise<void> {
  rejectIfLimited(await rateLimiter.count(name, limit));
}

/** The same for tries of network addresses, whose blocks `name` puts into words. */
export async function countAddressAttempt(
  rateLimiter: RateLimiter,
  attempt: Parameters<typeof countAttemptByAddress>[1],
): Promise<void> {
  rejectIfLimited(await countAttemptByAddress(rateLimiter, attempt));
}

function rejectIfLimited(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0)
    throw new GatewayError('too_many_attempts', `too many attempts; retry in ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
}
