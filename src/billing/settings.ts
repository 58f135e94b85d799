import { z } from 'zod';
import type { TierId } from '../kernel/ports/records.ts';
import { commaSeparatedList, secretText } from '../kernel/setting-schemas.ts';
import { combineSettings, envVariable, type Setting } from '../kernel/settings.ts';
import { defaultLimit } from './tiers.ts';

/** What accounts may use. */
export const billingSettings = {
  /** Calls in a month, or in a paid period. */
  tierLimits: combineSettings(
    {
      free: callsInPeriod('WEIR_TIER_FREE_LIMIT', 'free'),
      pro: callsInPeriod('WEIR_TIER_PRO_LIMIT', 'pro'),
      team: callsInPeriod('WEIR_TIER_TEAM_LIMIT', 'team'),
    },
    (calls): Readonly<Record<TierId, number>> => calls,
  ),
  /** What the payment processor calls the prices of tiers, and what it signs its news with. */
  billing: combineSettings(
    {
      webhookSecret: envVariable('STRIPE_WEBHOOK_SECRET', secretText.optional()),
      /** The first is what is sold; others are what earlier customers pay. */
      pro: envVariable('STRIPE_PRICE_PRO', commaSeparatedList.default([])),
      team: envVariable('STRIPE_PRICE_TEAM', commaSeparatedList.default([])),
    },
    ({ webhookSecret, ...prices }) => ({ webhookSecret, prices }),
  ),
} as const;

function callsInPeriod(name: string, tier: TierId): Setting<number> {
  return envVariable(
    name,
    z.coerce.number('must be a number of calls').int().min(0).default(defaultLimit(tier)),
  );
}
