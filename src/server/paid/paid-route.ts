import type { WireFormat } from '../../kernel/wire-format.ts';
import { chargeTerms, paidRoute } from '../../payments/offer.ts';
import { problemSchema } from '../../payments/payment-required.ts';
import type { DataPlaneRoute } from '../data-plane.ts';
import type { PaidInferenceHandler } from './paid-inference.ts';
import { paidBody } from './paid-request.ts';

/** The route where a call is paid for by whoever makes it, without an account. */
export function paidInferenceRoute(handler: PaidInferenceHandler, wire: WireFormat): DataPlaneRoute {
  return {
    kind: 'inference',
    method: paidRoute.method,
    path: paidRoute.path,
    summary: 'A call that is paid for by itself',
    tag: 'Payments',
    wire,
    handler,
    payment: { offers: [chargeTerms] },
    // Without one the price is told all the same.
    ...(paidBody.description !== undefined && { body: { ...paidBody.description, required: false } }),
    responses: {
      200: {
        description: 'The answer in the Messages format, once a payment was settled',
        headers: {
          'payment-receipt': 'What was paid, as JSON in base64url',
          'idempotent-replayed':
            'true where it was answered before to the same Idempotency-Key and credential',
        },
      },
      400: {
        description: 'The body is wrong, the model is not sold, or there are several Authorization headers',
      },
      402: {
        description: 'What is to be paid, with a fresh challenge each time',
        contentType: 'application/problem+json',
        schema: problemSchema,
        headers: { 'www-authenticate': 'The challenge, of the scheme Payment' },
      },
      409: { description: 'The call with this Idempotency-Key is being made' },
      422: { description: 'This Idempotency-Key came with the same credential and another body' },
      429: { description: 'This address asks for too much' },
      502: { description: 'The model did not answer; nothing is charged' },
    },
  };
}
