import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import type { Ledger, LedgerLine } from '../../../kernel/ports/payments.ts';
import { chargeTerms, paidRoute } from '../../../payments/offer.ts';
import { problemPage, problemPagePolicy } from '../../../payments/problem-page.ts';
import { isProblemSlug } from '../../../payments/problems.ts';
import { limits } from '../../limits.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';
import { checkQueryNames, parseQuery } from '../validation.ts';

export interface PaymentsParts {
  realm(): string;
  readonly ledger: Pick<Ledger, 'page'>;
  /** Whether payments are settled. */
  readonly isLive: boolean;
}

const discoverySchema = z.strictObject({
  spec_version: z.literal('0.1'),
  realm: z.string(),
  payment_methods: z.array(
    z.strictObject({
      method: z.string(),
      wallet_provider: z.string(),
      currency: z.string(),
      status: z.string(),
    }),
  ),
  routes: z.array(
    z.strictObject({
      path: z.string(),
      method: z.string(),
      price_usd_per_call: z.number(),
      category: z.string(),
    }),
  ),
  capabilities: z.strictObject({
    idempotency: z.boolean(),
    refunds: z.boolean(),
    receipts: z.string(),
    content_digest: z.string(),
    ledger_public: z.boolean(),
  }),
});

const cursors = new TimeCursors(/^[\w-]{1,64}$/);
const ledgerQuery = {
  limit: pageLimitSchema(limits.ledgerPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the older entries that follow it'),
};

const ledgerPageSchema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        id: z.string(),
        timestamp: z.iso.datetime(),
        route: z.string(),
        amount: z.string().describe('In cents'),
        currency: z.string(),
        receipt_sha256: z.string().describe('The hash of the Payment-Receipt header value, in hex'),
      }),
    )
    .describe('Newest first'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
});

/** Discovery and the public ledger for paying clients. */
export function paymentsRoutes({ realm, ledger, isLive }: PaymentsParts): readonly ApiRoute[] {
  const tag = 'Payments';
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/.well-known/mpp',
      summary: 'List the paid routes and payment methods',
      tag,
      access: 'public',
      responses: {
        200: { description: 'The routes, their prices and payment methods', schema: discoverySchema },
      },
      handle: () => ({
        headers: ['cache-control', 'public, max-age=60'],
        body: {
          spec_version: '0.1',
          realm: realm(),
          payment_methods: [
            {
              method: chargeTerms.method,
              wallet_provider: 'link',
              currency: chargeTerms.currency,
              status: isLive ? 'live' : 'protocol live; settlement gated',
            },
          ],
          routes: [paidRoute],
          capabilities: {
            idempotency: true,
            refunds: false,
            receipts: 'header',
            content_digest: 'rfc-9530 sha-256',
            ledger_public: true,
          },
        },
      }),
    },
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/agent/ledger',
      summary: 'List paid calls',
      tag,
      access: 'public',
      query: ledgerQuery,
      responses: {
        200: {
          description: 'A page of ledger entries, which are never changed or deleted',
          schema: ledgerPageSchema,
        },
        400: { description: 'A query parameter is invalid' },
      },
      async handle({ query }) {
        checkQueryNames(ledgerQuery, query);
        const { limit = defaultPageLimit, after } = parseQuery(ledgerQuery, query);
        const page = await ledger.page({
          after: after === undefined ? undefined : cursors.decode(after),
          limit: limit + 1,
        });
        const shown = page.slice(0, limit);
        const last = page.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            entries: shown.map(describeLedgerLine),
            has_more: last !== undefined,
            next_cursor: last === undefined ? null : cursors.encode(last),
          },
        };
      },
    },
    {
      kind: 'own',
      method: 'GET',
      path: '/problems/:slug',
      summary: 'A page that explains a payment problem type',
      tag,
      access: 'public',
      responses: {
        200: { description: 'An HTML page', contentType: 'text/html' },
        404: { description: 'Unknown problem type' },
      },
      handle({ parameters: { slug = '' } }) {
        if (!isProblemSlug(slug)) throw new GatewayError('not_found', 'unknown payment problem type');
        return {
          headers: ['cache-control', 'public, max-age=3600', 'content-security-policy', problemPagePolicy],
          contentType: 'text/html; charset=utf-8',
          body: problemPage(slug),
        };
      },
    },
  ];
}

function describeLedgerLine({ id, atMs, route, amount, currency, receiptHash }: LedgerLine) {
  return { id, timestamp: timestamp(atMs), route, amount, currency, receipt_sha256: receiptHash };
}
