import { z } from 'zod';
import type { TierId } from '../kernel/ports/records.ts';
import { commaSeparatedList, secretText } from '../lib/setting-schemas.ts';
import { combineSettings, envVariable, type Setting } from '../lib/settings.ts';
import { defaultLimit } from './tiers.ts';

/** Quotas and prices of tiers. */
export const billingSettings = {
  /** Calls per month or paid period. */
  tierLimits: combineSettings(
    {
      free: callsInPeriod('WEIR_TIER_FREE_LIMIT', 'free'),
      pro: callsInPeriod('WEIR_TIER_PRO_LIMIT', 'pro'),
      team: callsInPeriod('WEIR_TIER_TEAM_LIMIT', 'team'),
    },
    (calls): Readonly<Record<TierId, number>> => calls,
  ),
  /** The processor's price ids of tiers, and its webhook secret. */
  billing: combineSettings(
    {
      webhookSecret: envVariable('STRIPE_WEBHOOK_SECRET', secretText.optional(), {
        at: 'stripe.webhook_secret',
        isSecret: true,
      }),
      /** The first is on sale; the others are prices of earlier customers. */
      pro: envVariable('STRIPE_PRICE_PRO', commaSeparatedList.default([]), {
        at: 'stripe.prices.pro',
        form: 'list',
      }),
      team: envVariable('STRIPE_PRICE_TEAM', commaSeparatedList.default([]), {
        at: 'stripe.prices.team',
        form: 'list',
      }),
    },
    ({ webhookSecret, ...prices }) => ({ webhookSecret, prices }),
  ),
} as const;

function callsInPeriod(name: string, tier: TierId): Setting<number> {
  return envVariable(
    name,
    z.coerce.number('must be a number of calls').int().min(0).default(defaultLimit(tier)),
    `tiers.${tier}.calls`,
  );
}
