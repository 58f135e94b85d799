import { z } from 'zod';
import { httpUrl, list, secret } from '../kernel/setting-schemas.ts';
import { combined, variable } from '../kernel/settings.ts';

const accountName = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be an identifier of the payment processor')
  .default('unconfigured');

/** What machines pay for calls, and to whom. */
export const paymentSettings = {
  mpp: combined(
    {
      offered: variable('WEIR_MPP', z.enum(['on', 'off'], 'must be "on" or "off"').default('on')),
      settlement: variable(
        'WEIR_MPP_SETTLEMENT',
        z.enum(['off', 'stripe'], 'must be "off" or "stripe"').default('off'),
      ),
      /** The processor's account that is paid. */
      recipient: variable('WEIR_MPP_RECIPIENT', accountName),
      /** By which wallets find that account. */
      networkId: variable('WEIR_MPP_NETWORK_ID', accountName),
      /** The only models that are sold; undefined for all whose price fits. */
      models: variable('WEIR_MPP_MODELS', list.optional()),
      stripeKey: variable('STRIPE_SECRET_KEY', secret.optional()),
      stripeBase: variable('STRIPE_API_BASE', httpUrl.default('https://api.stripe.com')),
    },
    (mpp) => mpp,
  ),
} as const;
