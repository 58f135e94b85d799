import { z } from 'zod';
import { commaSeparatedList, httpUrl, secretText } from '../lib/setting-schemas.ts';
import { combineSettings, envVariable } from '../lib/settings.ts';

const processorId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be an identifier of the payment processor')
  .default('unconfigured');

export const stripeApi = 'https://api.stripe.com';

/** Settings of payments per call. */
export const paymentSettings = {
  mpp: combineSettings(
    {
      offered: envVariable(
        'WEIR_MPP',
        z.enum(['on', 'off'], 'must be "on" or "off"').default('on'),
        'payments.offered',
      ),
      settlement: envVariable(
        'WEIR_MPP_SETTLEMENT',
        z.enum(['off', 'stripe'], 'must be "off" or "stripe"').default('off'),
        'payments.settlement',
      ),
      /** The processor account that receives the money. */
      recipient: envVariable('WEIR_MPP_RECIPIENT', processorId, 'payments.recipient'),
      /** The id by which wallets find that account. */
      networkId: envVariable('WEIR_MPP_NETWORK_ID', processorId, 'payments.network_id'),
      /** The models on sale; undefined for all whose price fits. */
      models: envVariable('WEIR_MPP_MODELS', commaSeparatedList.optional(), {
        at: 'payments.models',
        form: 'list',
      }),
      stripeKey: envVariable('STRIPE_SECRET_KEY', secretText.optional(), {
        at: 'stripe.secret_key',
        isSecret: true,
      }),
      stripeBase: envVariable('STRIPE_API_BASE', httpUrl.default(stripeApi), 'stripe.base_url'),
    },
    (mpp) => mpp,
  ),
} as const;
