import type { Account, TierId } from '../kernel/ports/records.ts';

/** Default quotas per month and prices. */
export const tiers = [
  { id: 'free', name: 'Free', priceUsdPerMonth: 0, requestsPerMonth: 1000, overage: false },
  { id: 'pro', name: 'Pro', priceUsdPerMonth: 20, requestsPerMonth: 100_000, overage: true },
  { id: 'team', name: 'Team', priceUsdPerMonth: 99, requestsPerMonth: 1_000_000, overage: true },
] as const;

/** Calls per month by tier. */
export function defaultLimit(id: TierId): number {
  return tiers.find((tier) => tier.id === id)?.requestsPerMonth ?? 0;
}

/** The current tier of an account. The webhook of a tier's end may come before the end, and not again. */
export function effectiveTier({ tier, tierEndsMs }: Account, nowMs: number): TierId {
  return tierEndsMs !== undefined && tierEndsMs <= nowMs ? 'free' : tier;
}
