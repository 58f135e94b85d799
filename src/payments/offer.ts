import { canonicalJson } from '../lib/json.ts';

/** The route with payment per call. */
export const paidRoute = {
  path: '/v1/agent/messages',
  method: 'POST',
  price_usd_per_call: 0.05,
  category: 'llm-generation',
} as const;

/** The payment terms; the amount is in cents. */
export const chargeTerms = { method: 'stripe', intent: 'charge', amount: '5', currency: 'usd' } as const;

/** The recipient of the money. */
export interface Payee {
  readonly recipient: string;
  readonly networkId: string;
}

export interface Offer {
  readonly method: typeof chargeTerms.method;
  readonly intent: typeof chargeTerms.intent;
  readonly amount: typeof chargeTerms.amount;
  readonly currency: typeof chargeTerms.currency;
  readonly recipient: string;
  readonly description: string;
  readonly expires: string;
}

const description = 'One call to a model, the model included';

export function createOffer(expires: string, { recipient }: Payee): Offer {
  return { ...chargeTerms, recipient, description, expires };
}

/** The offer for wallets: canonical JSON (RFC 8785) in base64url. */
export function encodePaymentRequest({ method, intent, ...inner }: Offer, { networkId }: Payee): string {
  const methodDetails = { networkId, paymentMethodTypes: ['card'] };
  return Buffer.from(canonicalJson({ ...inner, methodDetails })).toString('base64url');
}
