import type { Account, TierId } from '../kernel/ports/records.ts';

/** What an account may use in a month unless the operator says otherwise, and what that costs. */
export const tiers = [
  { id: 'free', name: 'Free', priceUsdPerMonth: 0, requestsPerMonth: 1000, overage: false },
  { id: 'pro', name: 'Pro', priceUsdPerMonth: 20, requestsPerMonth: 100_000, overage: true },
  { id: 'team', name: 'Team', priceUsdPerMonth: 99, requestsPerMonth: 1_000_000, overage: true },
] as const;

/** Calls in a month, by tier. */
export function defaultLimit(id: TierId): number {
  return tiers.find((tier) => tier.id === id)?.requestsPerMonth ?? 0;
}

/** What an account is now: news of the end of a tier may come before it, and not again. */
export function effectiveTier({ tier, tierEndsMs }: Account, nowMs: number): TierId {
  return tierEndsMs !== undefined && tierEndsMs <= nowMs ? 'free' : tier;
}
