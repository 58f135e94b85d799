import { countAttemptByAddress } from '../kernel/address-attempts.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';

/** Counts an attempt and throws if there were too many within the window. */
export async function countAttempt(
  rateLimiter: RateLimiter,
  name: string,
  limit: { readonly most: number; readonly seconds: number },
  message?: string,
): Promise<void> {
  rejectIfLimited(await rateLimiter.count(name, limit), message);
}

/** The same by blocks of network addresses. */
export async function countAddressAttempt(
  rateLimiter: RateLimiter,
  attempt: Parameters<typeof countAttemptByAddress>[1],
): Promise<void> {
  rejectIfLimited(await countAttemptByAddress(rateLimiter, attempt));
}

function rejectIfLimited(
  retryAfterSeconds: number,
  message = `too many attempts; retry in ${retryAfterSeconds} s`,
): void {
  if (retryAfterSeconds > 0) throw new GatewayError('too_many_attempts', message, { retryAfterSeconds });
}
