import type { WireFormat } from '../../kernel/wire-format.ts';
import { chargeTerms, paidRoute } from '../../payments/offer.ts';
import { problemSchema } from '../../payments/payment-required.ts';
import type { DataPlaneRoute } from '../data-plane.ts';
import type { PaidInferenceHandler } from './paid-inference.ts';
import { paidBody } from './paid-request.ts';

/** The route for calls that are paid individually, without an account. */
export function paidInferenceRoute(handler: PaidInferenceHandler, wire: WireFormat): DataPlaneRoute {
  return {
    kind: 'inference',
    method: paidRoute.method,
    path: paidRoute.path,
    summary: 'Make a call and pay for it individually',
    tag: 'Payments',
    wire,
    handler,
    payment: { offers: [chargeTerms] },
    // A request without a body gets the price.
    ...(paidBody.description !== undefined && { body: { ...paidBody.description, required: false } }),
    responses: {
      200: {
        description: 'The answer in the Messages format, after the payment was settled',
        headers: {
          'payment-receipt': 'The payment receipt, as base64url-encoded JSON',
          'idempotent-replayed':
            'true if the response is replayed for the same Idempotency-Key and credential',
        },
      },
      400: {
        description: 'The body is invalid, the model is not sold, or there are several Authorization headers',
      },
      402: {
        description: 'Payment required; each response has a new challenge',
        contentType: 'application/problem+json',
        schema: problemSchema,
        headers: { 'www-authenticate': 'The challenge, with the scheme Payment' },
      },
      409: { description: 'The call with this Idempotency-Key is in progress' },
      422: { description: 'This Idempotency-Key was used with the same credential and another body' },
      429: { description: 'Too many requests from this address' },
      502: { description: 'The model did not answer; nothing was charged' },
    },
  };
}
