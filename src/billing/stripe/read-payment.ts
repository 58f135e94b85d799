import type Stripe from 'stripe';
import { creditsPerUsd } from '../../kernel/credits.ts';
import type { ProcessorPayment } from '../billing-processor.ts';

export const creditsPerCent = creditsPerUsd / 100;

/** Undefined for payments that are not for credits. */
export async function readPayment(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
): Promise<ProcessorPayment | undefined> {
  const { id, status, amount_received, currency, metadata, latest_charge: charge } = intent;
  const { weir_account: accountId, weir_credits, weir_recharge: rechargeId } = metadata;
  if (accountId === undefined || weir_credits === undefined || currency !== 'usd') return undefined;
  const made = typeof charge === 'string' ? null : charge;
  const disputed = made?.disputed ? await disputedCents(stripe, id) : 0;
  return {
    intentId: id,
    accountId,
    rechargeId,
    state: stateOf(status),
    credits: amount_received * creditsPerCent,
    refunded: (made?.amount_refunded ?? 0) * creditsPerCent,
    disputed: disputed * creditsPerCent,
  };
}

/** We keep the money in inquiries and in disputes that were won. */
async function disputedCents(stripe: Stripe, intentId: string): Promise<number> {
  const { data } = await stripe.disputes.list({ payment_intent: intentId, limit: 100 });
  const isOurs = (status: string) =>
    status === 'won' || status === 'prevented' || status.startsWith('warning_');
  return data.reduce((sum, { amount, status }) => sum + (isOurs(status) ? 0 : amount), 0);
}

function stateOf(status: string): ProcessorPayment['state'] {
  if (status === 'succeeded') return 'paid';
  return status === 'processing' || status === 'requires_capture' ? 'pending' : 'failed';
}
