import type { ErrorDescriptions } from '../error-reference.ts';

export const costErrors = {
  request_cost_exceeded: {
    cause: 'The call could cost more than one request may ([ceilings](../guides/budgets.md)).',
    remedy: 'Lower the limit of output tokens, send less, or raise the ceiling of a request.',
  },
  cost_ceiling_exceeded: {
    cause:
      'The call could cost more than is left of the key’s [ceiling](../guides/budgets.md) for this window, or of a [budget](../guides/budgets.md#budgets-of-an-organization) of the account. OpenAI’s formats carry the code `insufficient_quota` instead.',
    remedy: 'Wait until `resets_at`, lower the limit of output tokens, or raise the ceiling.',
  },
  rate_limited: {
    cause:
      'The API key, or in local mode the instance, has reached its limit of requests or tokens per minute or of calls in flight. The message names the limit.',
    remedy:
      'Retry after `retry-after`, or raise the [rate limit](../guides/rate-limits.md). A call whose input alone has more tokens than the limit has to be shortened.',
  },
  tier_cap_reached: {
    cause: 'The account has used all calls of its period, and has no credits for more.',
    remedy: 'Wait until `resets_at`, or get a higher tier or credits at `upgrade_url`.',
  },
  concurrency_limit: {
    cause: 'Calls in flight hold all that is left of the account’s calls of this period.',
    remedy: 'Send the call again when one of them has ended.',
  },
  too_many_failures: {
    cause: 'Too many calls of this account, or unpaid calls of this address, failed in a short time.',
    remedy: 'Wait for `retry-after`, and correct what makes the calls fail.',
  },
  too_many_attempts: {
    cause: 'This address or account used a rate-limited route too often, such as login, sign-up or payments.',
    remedy: 'Wait for `retry-after`.',
  },
} as const satisfies ErrorDescriptions;
