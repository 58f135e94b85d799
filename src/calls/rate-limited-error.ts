import { GatewayError } from '../kernel/errors.ts';
import type { CallLimits, RateDecision } from '../kernel/ports/call-rates.ts';
import type { ExpectedTokens } from './expected-tokens.ts';

export type LimitName = 'requests_per_minute' | 'tokens_per_minute' | 'concurrent';

export interface RateRefusal {
  readonly limits: CallLimits;
  readonly decision: RateDecision;
  readonly expected: ExpectedTokens | undefined;
}

/** The error for a refused call, and the limit that keeps it waiting the longest. */
export function rateLimitedError(refusal: RateRefusal): {
  readonly limit: LimitName;
  readonly error: GatewayError;
} {
  const { requests, tokens } = refusal.decision;
  const waitMs = Math.max(requests?.waitMs ?? 0, tokens?.waitMs ?? 0);
  const limit =
    waitMs === 0 ? 'concurrent' : tokens?.waitMs === waitMs ? 'tokens_per_minute' : 'requests_per_minute';
  // Nobody knows when a call in flight ends.
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  const isTooLarge = limit === 'tokens_per_minute' && isAboveLimit(refusal);
  return {
    limit,
    error: new GatewayError('rate_limited', messageOf(limit, refusal, retryAfterSeconds), {
      retryAfterSeconds,
      ...(isTooLarge && { shouldRetry: false }),
    }),
  };
}

function isAboveLimit({ limits: { tokensPerMinute = 0 }, expected }: RateRefusal): boolean {
  return (expected?.input ?? 0) > tokensPerMinute;
}

function messageOf(limit: LimitName, refusal: RateRefusal, retryAfterSeconds: number): string {
  const { limits, decision, expected } = refusal;
  const wait = `retry in ${retryAfterSeconds} s`;
  switch (limit) {
    case 'requests_per_minute':
      return `rate limit reached: requests_per_minute is ${limits.requestsPerMinute}; ${wait}`;
    case 'tokens_per_minute':
      return isAboveLimit(refusal)
        ? `rate limit reached: tokens_per_minute is ${limits.tokensPerMinute}, and the input of this call alone has about ${expected?.input} tokens; shorten it or raise the limit`
        : `rate limit reached: tokens_per_minute is ${limits.tokensPerMinute}, of which ${decision.tokens?.count} are used or reserved, and this call is expected to use ${expected?.tokens}; ${wait}`;
    case 'concurrent':
      return `rate limit reached: concurrent is ${limits.concurrent}, and ${decision.concurrent} calls are in flight; ${wait}`;
  }
}
