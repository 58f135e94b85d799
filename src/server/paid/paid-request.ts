import { type PaidBody, paidBodyFields } from '../../calls/paid-body.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headersOf } from '../../kernel/headers.ts';
import { limits } from '../../kernel/limits.ts';
import type { Challenge } from '../../kernel/ports/payments.ts';
import type { ChallengeDesk } from '../../payments/challenge-desk.ts';
import { type Credential, readCredential, type Shown } from '../../payments/credential.ts';
import type { Problem } from '../../payments/payment-required.ts';
import { jsonBody } from '../own/json-body.ts';

export const paidBody = jsonBody(paidBodyFields);

/** What a request to the paid route comes to. */
export type Asked =
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'payment'; readonly challenge: Challenge; readonly credential: Credential };

interface PaidRequest {
  readonly shown: Shown;
  readonly digest: string;
  readonly decoded: Uint8Array;
  readonly desk: Pick<ChallengeDesk, 'find'>;
  /** Refuses a body that is wrong, or a call that isn't sold. */
  readBody(): Promise<PaidBody>;
  /** What is told of payments here. */
  readonly note: string;
}

/** What is wrong is told in this order: the credential, the challenge, the body. */
export async function readPaid({
  shown,
  digest,
  decoded,
  desk,
  readBody,
  note,
}: PaidRequest): Promise<Asked> {
  switch (shown.kind) {
    case 'other':
      if (!asksForPrice(decoded)) await readBody();
      return { kind: 'problem', problem: { slug: 'payment-required', detail: `${required} ${note}`.trim() } };
    case 'malformed': {
      const detail = `The payment credential can't be read: ${shown.why}. Nothing was charged.`;
      return { kind: 'problem', problem: { slug: 'malformed-credential', detail } };
    }
    case 'credential': {
      const { credential } = shown;
      const challenge = await desk.find(credential, digest);
      if (challenge === undefined) return { kind: 'problem', problem: invalidChallenge };
      await readBody();
      return { kind: 'payment', challenge, credential };
    }
  }
}

export const invalidChallenge: Problem = {
  slug: 'invalid-challenge',
  detail:
    'The challenge is unknown, expired or used up, or was issued for another body. Nothing was charged. Go on with the fresh challenge of this answer, which is for the body that you just sent.',
};

const required =
  'A call costs 0.05 USD, the model included. Pay the challenge by a wallet, and send the same body again with its credential in "Authorization: Payment".';

export function shownIn(headers: HeaderList): Shown {
  const [first = '', ...others] = headersOf(headers, 'authorization');
  if (others.length > 0)
    throw new GatewayError('invalid_request', 'there are several Authorization headers; send one');
  return readCredential(first);
}

/** Undefined where there is none. */
export function idempotencyKeyIn(headers: HeaderList): string | undefined {
  const [key, ...others] = headersOf(headers, 'idempotency-key');
  if (key === undefined) return undefined;
  const max = limits.idempotencyKeyCharactersMax;
  if (others.length > 0 || key.length > max || !/^[\x21-\x7e]+$/.test(key))
    throw new GatewayError(
      'invalid_request',
      `Idempotency-Key must be one of 1 to ${max} characters of ASCII, without spaces`,
      { param: 'Idempotency-Key' },
    );
  return key;
}

/** Nothing, or nothing in it. */
function asksForPrice(body: Uint8Array): boolean {
  return body.byteLength === 0 || /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/.test(Buffer.from(body).toString());
}
