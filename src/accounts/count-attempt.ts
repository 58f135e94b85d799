import { countByAddress } from '../kernel/address-attempts.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Attempts } from '../kernel/ports/shared-state.ts';

/** Counts a try of something that may be tried so often in so many seconds, and refuses what is more. */
export async function countAttempt(
  attempts: Attempts,
  name: string,
  limit: { readonly most: number; readonly seconds: number },
): Promise<void> {
  refuseEarly(await attempts.count(name, limit));
}

/** The same for tries of network addresses, whose blocks `name` puts into words. */
export async function countAddressAttempt(
  attempts: Attempts,
  attempt: Parameters<typeof countByAddress>[1],
): Promise<void> {
  refuseEarly(await countByAddress(attempts, attempt));
}

function refuseEarly(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0)
    throw new GatewayError('too_many_attempts', `too many tries; wait for ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
}
