import type { WireFormat } from '../../kernel/wire-format.ts';
import { charge, paidRoute } from '../../payments/offer.ts';
import { problemInfo } from '../../payments/payment-required.ts';
import type { ServedRoute } from '../data-plane.ts';
import type { PaidInference } from './paid-inference.ts';
import { paidBody } from './paid-request.ts';

/** The route where a call is paid for by whoever makes it, without an account. */
export function paidInferenceRoute(by: PaidInference, wire: WireFormat): ServedRoute {
  return {
    kind: 'inference',
    method: paidRoute.method,
    path: paidRoute.path,
    summary: 'A call that is paid for by itself',
    tag: 'Payments',
    wire,
    by,
    payment: { offers: [charge] },
    // Without one the price is told all the same.
    ...(paidBody.described !== undefined && { body: { ...paidBody.described, required: false } }),
    answers: {
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
        type: 'application/problem+json',
        schema: problemInfo,
        headers: { 'www-authenticate': 'The challenge, of the scheme Payment' },
      },
      409: { description: 'The call with this Idempotency-Key is being made' },
      422: { description: 'This Idempotency-Key came with the same credential and another body' },
      429: { description: 'This address asks for too much' },
      502: { description: 'The model did not answer; nothing is charged' },
    },
  };
}
