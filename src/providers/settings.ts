import { z } from 'zod';
import { durationMs, httpUrl, secret } from '../kernel/setting-schemas.ts';
import { namedVariables, variable } from '../kernel/settings.ts';
import { PriceFileError, type PriceOverrides, readPriceOverrides } from './catalog/price-overrides.ts';

/** Who answers, where, with which key and at what price. */
export const providerSettings = {
  /** Addresses that replace a provider's own, by provider; a name we don't know makes a provider of its own. */
  baseUrls: namedVariables('WEIR_*_BASE_URL', httpUrl),
  /** How streams of a provider come to tell their usage, by provider, where its own data doesn't say or is wrong. */
  streamUsage: namedVariables(
    'WEIR_*_STREAM_USAGE',
    z.enum(['asked', 'unasked'], 'must be asked or unasked'),
  ),
  /** Operator credentials, by provider. */
  credentials: namedVariables('*_API_KEY', secret),
  /** How long a provider may be silent before it is given up: clients wait ten minutes, and must give up first. */
  upstreamTimeoutMs: variable('WEIR_UPSTREAM_TIMEOUT', durationMs.default(600_000)),
  /** The operator's own prices. */
  prices: variable('WEIR_PRICES', z.string().min(1).transform(pricesOf).optional()),
  /** What happens to calls of models without a known price. */
  unknownModels: variable(
    'WEIR_UNKNOWN_MODELS',
    z.enum(['estimate', 'refuse'], 'must be estimate or refuse').default('estimate'),
  ),
} as const;

function pricesOf(path: string, context: z.RefinementCtx): PriceOverrides {
  try {
    return readPriceOverrides(path);
  } catch (thrown) {
    if (!(thrown instanceof PriceFileError)) throw thrown;
    for (const fault of thrown.faults) context.addIssue(fault);
    return z.NEVER;
  }
}
