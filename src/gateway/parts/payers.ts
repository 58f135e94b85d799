import type { CallerAdmission } from '../../calls/caller-admission.ts';
import { PaidModels } from '../../calls/paid-models.ts';
import { PaymentAdmission } from '../../calls/payment-admission.ts';
import type { PipelineSelector } from '../../calls/pipeline-selector.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { PaymentProcessor } from '../../payments/payment-processor.ts';
import { StripeProcessor } from '../../payments/stripe-processor.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { lazyStripe } from '../stripe-client.ts';
import type { ProvidersPart } from './providers.ts';

/** What it takes to serve those who pay call by call. */
export interface PayerServices {
  readonly callerAdmission: CallerAdmission;
  readonly processor: PaymentProcessor;
}

interface PayerParts {
  readonly settings: Settings;
  readonly models: PaidModels;
  readonly pipelines: PipelineSelector;
}

export function createPaidModels({ mpp, credentials }: Settings, providersPart: ProvidersPart): PaidModels {
  return new PaidModels({ ...providersPart, credentials, models: mpp.models });
}

/** Undefined where no payment is settled. */
export async function createPayerServices({
  settings,
  models,
  pipelines,
}: PayerParts): Promise<PayerServices | undefined> {
  const { mpp } = settings;
  if (mpp.offered === 'off' || mpp.settlement === 'off') return undefined;
  const faults = [...settlementFaults(settings), ...modelFaults(models, mpp.models ?? [])];
  if (faults.length > 0 || mpp.stripeKey === undefined) throw new SettingsError(faults);
  const stripe = lazyStripe({ key: mpp.stripeKey, base: mpp.stripeBase });
  // No payer waits for it to be loaded.
  await stripe();
  return {
    callerAdmission: new PaymentAdmission({ models, pipeline: pipelines.withProtection('cost-guard') }),
    processor: new StripeProcessor(stripe),
  };
}

function settlementFaults({ mpp, credentials }: Settings): readonly string[] {
  const faults: string[] = [];
  if (mpp.recipient === 'unconfigured')
    faults.push('WEIR_MPP_RECIPIENT: must be set for payments to be settled');
  if (mpp.networkId === 'unconfigured')
    faults.push('WEIR_MPP_NETWORK_ID: must be set for payments to be settled');
  if (credentials.size === 0)
    faults.push(
      'WEIR_MPP_SETTLEMENT: there is no key of a provider to make paid calls with, like ANTHROPIC_API_KEY',
    );
  if (mpp.stripeKey === undefined) faults.push('STRIPE_SECRET_KEY: must be set for payments to be settled');
  else if (!isLoopback(mpp.stripeBase)) {
    if (/_test_/.test(mpp.stripeKey.reveal()))
      faults.push('STRIPE_SECRET_KEY: a key for tests settles nothing');
    if (!mpp.stripeBase.startsWith('https:')) faults.push('STRIPE_API_BASE: must begin with https://');
  }
  return faults;
}

/** Whoever lists a model wants it sold. */
function modelFaults(models: PaidModels, listed: readonly string[]): readonly string[] {
  const messages = [{ role: 'user' as const, content: '' }];
  return listed.flatMap((model) => {
    try {
      models.requireSold({ model, messages }, new Uint8Array(0));
      return [];
    } catch (refusal) {
      if (!GatewayError.is(refusal)) throw refusal;
      return [`WEIR_MPP_MODELS: "${model}" can't be sold: it must have a known price that fits, and a key`];
    }
  });
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
