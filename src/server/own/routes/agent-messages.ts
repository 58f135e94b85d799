import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { headersOf } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import type { WireFormat } from '../../../kernel/wire-format.ts';
import type { ChallengeDesk } from '../../../payments/challenge-desk.ts';
import { contentDigest } from '../../../payments/content-digest.ts';
import { readCredential } from '../../../payments/credential.ts';
import { charge, paidRoute } from '../../../payments/offer.ts';
import {
  challengeHeaders,
  type Problem,
  problemBody,
  problemInfo,
} from '../../../payments/payment-required.ts';
import { jsonBody } from '../json-body.ts';
import type { OwnRequest, OwnRoute } from '../route.ts';
import { text } from '../text.ts';

export interface AgentMessagesParts {
  readonly desk: Pick<ChallengeDesk, 'issue' | 'find'>;
  /** Where the pages about problems are. */
  problemBase(): string;
  /** Whose names errors have. */
  readonly wire: WireFormat;
}

const paidCall = jsonBody({
  model: text({ min: 1, max: limits.modelNameMax }),
  max_tokens: z.int('must be a whole number').min(1, 'must be 1 or more').optional(),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant', 'system'], 'must be "user", "assistant" or "system"'),
        content: z.string('must be a string'),
      }),
      'must be an array',
    )
    .min(1, 'must have a message'),
  stream: z.boolean('must be true or false').optional(),
});

/** A call that is paid for by whoever makes it, without an account. No payment is settled, and so no call is made. */
export function agentMessagesRoutes({ desk, problemBase, wire }: AgentMessagesParts): readonly OwnRoute[] {
  return [
    {
      kind: 'own',
      method: paidRoute.method,
      path: paidRoute.path,
      summary: 'A call that is paid for by itself',
      tag: 'Payments',
      access: 'payment',
      payment: { offers: [charge] },
      // Without one the price is told all the same.
      ...(paidCall.described !== undefined && { body: { ...paidCall.described, required: false } }),
      answers: {
        200: {
          description: 'The answer in the Messages format, once a payment was settled',
          headers: { 'payment-receipt': 'What was paid, as JSON in base64url' },
        },
        400: { description: 'The body is wrong, or there are several Authorization headers' },
        402: {
          description: 'What is to be paid, with a fresh challenge each time',
          type: 'application/problem+json',
          schema: problemInfo,
          headers: { 'www-authenticate': 'The challenge, of the scheme Payment' },
        },
        429: { description: 'This address asks for too many challenges' },
      },
      dialect: () => wire,
      async handle(request) {
        const { raw, decoded } = await request.readContent();
        const digest = contentDigest(raw);
        const problem = await problemOf({ request, desk, digest, decoded });
        const quote = await desk.issue(digest, request.remoteAddress);
        return {
          status: 402,
          headers: [...challengeHeaders(quote), 'request-id', request.id, 'x-should-retry', 'false'],
          type: 'application/problem+json',
          body: problemBody(problem, quote, problemBase()),
        };
      },
    },
  ];
}

interface Paying {
  readonly request: OwnRequest;
  readonly desk: AgentMessagesParts['desk'];
  readonly digest: string;
  readonly decoded: Uint8Array;
}

/** What is wrong is told in this order: the credential, the challenge, the body, the settlement. */
async function problemOf({ request, desk, digest, decoded }: Paying): Promise<Problem> {
  const { headers } = request;
  const shown = readCredential(authorizationOf(request));
  const checkBody = () => paidCall.read({ headers, readBody: async () => decoded });
  switch (shown.kind) {
    case 'other':
      if (!asksForPrice(decoded)) await checkBody();
      return { slug: 'payment-required', detail: required };
    case 'malformed':
      return {
        slug: 'malformed-credential',
        detail: `The payment credential can't be read: ${shown.why}. Nothing was charged.`,
      };
    case 'credential':
      if ((await desk.find(shown.credential, digest)) === undefined)
        return { slug: 'invalid-challenge', detail: invalid };
      await checkBody();
      return { slug: 'verification-failed', detail: unsettled };
  }
}

const required =
  'A call costs 0.05 USD, the model included. Pay the challenge by a wallet, and send the same body again with its credential in "Authorization: Payment". Settlement is off on this gateway for now: no payment is taken yet.';
const invalid =
  'The challenge is unknown, expired or used up, or was issued for another body. Nothing was charged. Go on with the fresh challenge of this answer, which is for the body that you just sent.';
const unsettled =
  'Settlement is off on this gateway: no payment can be verified, whatever the credential. Nothing was charged and no model was called; trying again does not help.';

function authorizationOf({ headers }: OwnRequest): string {
  const [first = '', ...others] = headersOf(headers, 'authorization');
  if (others.length > 0)
    throw new GatewayError('invalid_request', 'there are several Authorization headers; send one');
  return first;
}

/** Nothing, or nothing in it. */
function asksForPrice(body: Uint8Array): boolean {
  return body.byteLength === 0 || /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/.test(Buffer.from(body).toString());
}
