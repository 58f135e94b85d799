import type { CallerAdmission } from '../../calls/caller-admission.ts';
import { PaidModels } from '../../calls/paid-models.ts';
import { PaymentAdmission } from '../../calls/payment-admission.ts';
import type { PipelineSelector } from '../../calls/pipeline-selector.ts';
import type { Egress } from '../../egress/egress.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { PaymentProcessor } from '../../payments/payment-processor.ts';
import { StripeProcessor } from '../../payments/stripe-processor.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { lazyStripe } from '../stripe-client.ts';
import type { ProvidersPart } from './providers.ts';

/** The services for paid calls. */
export interface PayerServices {
  readonly callerAdmission: CallerAdmission;
  readonly processor: PaymentProcessor;
}

interface PayerParts {
  readonly settings: Settings;
  readonly egress: Egress;
  readonly models: PaidModels;
  readonly pipelines: PipelineSelector;
}

export function createPaidModels({ mpp, credentials }: Settings, providersPart: ProvidersPart): PaidModels {
  return new PaidModels({ ...providersPart, credentials, models: mpp.models });
}

/** Undefined if settlement is off. */
export async function createPayerServices({
  settings,
  egress,
  models,
  pipelines,
}: PayerParts): Promise<PayerServices | undefined> {
  const { mpp } = settings;
  if (mpp.offered === 'off' || mpp.settlement === 'off') return undefined;
  const faults = [...settlementFaults(settings), ...modelFaults(models, mpp.models ?? [])];
  if (faults.length > 0 || mpp.stripeKey === undefined) throw new SettingsError(faults);
  const stripe = lazyStripe({ egress, key: mpp.stripeKey, base: mpp.stripeBase });
  // Loaded now, so that no payment waits for it.
  await stripe();
  return {
    callerAdmission: new PaymentAdmission({ models, pipeline: pipelines.withProtection('cost-guard') }),
    processor: new StripeProcessor(stripe),
  };
}

function settlementFaults({ mpp, credentials }: Settings): readonly string[] {
  const faults: string[] = [];
  if (mpp.recipient === 'unconfigured') faults.push('WEIR_MPP_RECIPIENT: required for settlement');
  if (mpp.networkId === 'unconfigured') faults.push('WEIR_MPP_NETWORK_ID: required for settlement');
  if (credentials.size === 0)
    faults.push('WEIR_MPP_SETTLEMENT: paid calls need a provider key; set one, such as ANTHROPIC_API_KEY');
  if (mpp.stripeKey === undefined) faults.push('STRIPE_SECRET_KEY: required for settlement');
  else if (!isLoopback(mpp.stripeBase)) {
    if (/_test_/.test(mpp.stripeKey.reveal()))
      faults.push('STRIPE_SECRET_KEY: must be a live key, since a test key settles nothing');
    if (!mpp.stripeBase.startsWith('https:')) faults.push('STRIPE_API_BASE: must begin with https://');
  }
  return faults;
}

/** Rejects configured models that cannot be sold. */
function modelFaults(models: PaidModels, listed: readonly string[]): readonly string[] {
  const messages = [{ role: 'user' as const, content: '' }];
  return listed.flatMap((model) => {
    try {
      models.requireSold({ model, messages }, new Uint8Array(0));
      return [];
    } catch (refusal) {
      if (!GatewayError.is(refusal)) throw refusal;
      return [
        `WEIR_MPP_MODELS: "${model}" cannot be sold: it needs a provider key and a known price that fits`,
      ];
    }
  });
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
