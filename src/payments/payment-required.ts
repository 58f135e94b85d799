import { z } from 'zod';
import type { HeaderList } from '../lib/headers.ts';
import type { Quote } from './challenge-issuer.ts';
import { chargeTerms } from './offer.ts';
import { type ProblemSlug, problems } from './problems.ts';

const offerSchema = z.strictObject({
  method: z.literal(chargeTerms.method),
  intent: z.literal(chargeTerms.intent),
  amount: z.string().describe('In cents'),
  currency: z.literal(chargeTerms.currency),
  recipient: z.string(),
  description: z.string().optional(),
  expires: z.iso.datetime(),
});

/** The body of every 402. */
export const problemSchema = z.strictObject({
  type: z.url(),
  title: z.string(),
  status: z.literal(402),
  detail: z.string(),
  expires: z.iso.datetime(),
  offers: z.array(offerSchema),
  payment_request: z.strictObject({
    id: z.string(),
    realm: z.string(),
    expires: z.iso.datetime(),
    expires_at: z.int().describe('The same as a Unix time in seconds'),
    offers: z.array(offerSchema),
  }),
});

export interface PaymentProblem {
  readonly slug: ProblemSlug;
  readonly detail: string;
}

/** The content of a 402: the problem, and a new challenge. */
export function problemBody(
  { slug, detail }: PaymentProblem,
  { challenge, expires, offers }: Quote,
  problemBase: string,
): z.output<typeof problemSchema> {
  const { id, realm, expiresAtMs } = challenge;
  return {
    type: `${problemBase}/${slug}`,
    title: problems[slug].title,
    status: 402,
    detail,
    expires,
    offers: [...offers],
    payment_request: { id, realm, expires, expires_at: expiresAtMs / 1000, offers: [...offers] },
  };
}

export function challengeHeaders({ challenge: { id, realm, request, digest }, expires }: Quote): HeaderList {
  const { method, intent } = chargeTerms;
  const params = { id, realm, method, intent, request, digest, expires };
  const written = Object.entries(params).map(([name, value]) => `${name}="${value}"`);
  return ['www-authenticate', `Payment ${written.join(', ')}`, 'cache-control', 'no-store'];
}
