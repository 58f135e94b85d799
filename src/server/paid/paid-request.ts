import { type PaidBody, paidBodyFields } from '../../calls/paid-body.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Challenge } from '../../kernel/ports/payments.ts';
import { type HeaderList, headerValuesOf } from '../../lib/headers.ts';
import type { ChallengeIssuer } from '../../payments/challenge-issuer.ts';
import {
  type ParsedAuthorization,
  type PaymentCredential,
  readCredential,
} from '../../payments/payment-credential.ts';
import type { PaymentProblem } from '../../payments/payment-required.ts';
import { jsonBody } from '../api/json-body.ts';
import { limits } from '../limits.ts';

export const paidBody = jsonBody(paidBodyFields);

/** The outcome of checking a request to the paid route. */
export type PaidRequestOutcome =
  | { readonly kind: 'problem'; readonly problem: PaymentProblem }
  | { readonly kind: 'payment'; readonly challenge: Challenge; readonly credential: PaymentCredential };

interface PaidRequestInput {
  readonly presented: ParsedAuthorization;
  readonly digest: string;
  readonly decoded: Uint8Array;
  readonly challenges: Pick<ChallengeIssuer, 'find'>;
  /** Rejects an invalid body or a model that is not sold. */
  readBody(): Promise<PaidBody>;
  /** A note for the payment-required problem. */
  readonly note: string;
}

/** Checks the credential, then the challenge, then the body. */
export async function checkPaidRequest({
  presented,
  digest,
  decoded,
  challenges,
  readBody,
  note,
}: PaidRequestInput): Promise<PaidRequestOutcome> {
  switch (presented.kind) {
    case 'other':
      if (!isPriceQuery(decoded)) await readBody();
      return {
        kind: 'problem',
        problem: { slug: 'payment-required', detail: `${paymentRequiredDetail} ${note}`.trim() },
      };
    case 'malformed': {
      const detail = `The payment credential is malformed: ${presented.why}. Nothing was charged.`;
      return { kind: 'problem', problem: { slug: 'malformed-credential', detail } };
    }
    case 'credential': {
      const { credential: paymentCredential } = presented;
      const challenge = await challenges.find(paymentCredential, digest);
      if (challenge === undefined) return { kind: 'problem', problem: invalidChallenge };
      await readBody();
      return { kind: 'payment', challenge, credential: paymentCredential };
    }
  }
}

export const invalidChallenge: PaymentProblem = {
  slug: 'invalid-challenge',
  detail:
    'The challenge is unknown, expired, already used, or was issued for another body. Nothing was charged. Use the new challenge in this response, which is for the body you just sent.',
};

const paymentRequiredDetail =
  'A call costs 0.05 USD, including the model. Pay the challenge with a wallet and send the same body again with the credential in "Authorization: Payment".';

export function readPresentedCredential(headers: HeaderList): ParsedAuthorization {
  const [first = '', ...others] = headerValuesOf(headers, 'authorization');
  if (others.length > 0)
    throw new GatewayError('invalid_request', 'the request has several Authorization headers; send one');
  return readCredential(first);
}

export function idempotencyKeyIn(headers: HeaderList): string | undefined {
  const [key, ...others] = headerValuesOf(headers, 'idempotency-key');
  if (key === undefined) return undefined;
  const max = limits.idempotencyKeyCharactersMax;
  if (others.length > 0 || key.length > max || !/^[\x21-\x7e]+$/.test(key))
    throw new GatewayError(
      'invalid_request',
      `Idempotency-Key must have 1 to ${max} ASCII characters without spaces`,
      { param: 'Idempotency-Key' },
    );
  return key;
}

/** An empty body or `{}`. */
function isPriceQuery(body: Uint8Array): boolean {
  return body.byteLength === 0 || /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/.test(Buffer.from(body).toString());
}
