import { GatewayError } from '../kernel/errors.ts';
import type { Attempts } from '../kernel/ports/shared-state.ts';

/** Counts a try of something that may be tried so often in so many seconds, and refuses what is more. */
export async function countAttempt(
  attempts: Attempts,
  name: string,
  limit: { readonly most: number; readonly seconds: number },
): Promise<void> {
  const retryAfterSeconds = await attempts.count(name, limit);
  if (retryAfterSeconds > 0)
    throw new GatewayError('too_many_attempts', `too many tries; wait for ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
}
