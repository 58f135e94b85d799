import { z } from 'zod';
import type { TierId } from '../kernel/ports/records.ts';
import { list, secret } from '../kernel/setting-schemas.ts';
import { combined, type Setting, variable } from '../kernel/settings.ts';
import { usualLimit } from './tiers.ts';

/** What accounts may use. */
export const billingSettings = {
  /** Calls in a month, or in a paid period. */
  tierLimits: combined(
    {
      free: callsInPeriod('WEIR_TIER_FREE_LIMIT', 'free'),
      pro: callsInPeriod('WEIR_TIER_PRO_LIMIT', 'pro'),
      team: callsInPeriod('WEIR_TIER_TEAM_LIMIT', 'team'),
    },
    (calls): Readonly<Record<TierId, number>> => calls,
  ),
  /** What the payment processor calls the prices of tiers, and what it signs its news with. */
  billing: combined(
    {
      webhookSecret: variable('STRIPE_WEBHOOK_SECRET', secret.optional()),
      /** The first is what is sold; others are what earlier customers pay. */
      pro: variable('STRIPE_PRICE_PRO', list.default([])),
      team: variable('STRIPE_PRICE_TEAM', list.default([])),
    },
    ({ webhookSecret, ...prices }) => ({ webhookSecret, prices }),
  ),
} as const;

function callsInPeriod(name: string, tier: TierId): Setting<number> {
  return variable(name, z.coerce.number('must be a number of calls').int().min(0).default(usualLimit(tier)));
}
