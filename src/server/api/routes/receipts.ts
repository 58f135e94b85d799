import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import type { OwnedReceipt, Receipts, StoredReceipt } from '../../../kernel/ports/receipts.ts';
import { headerOf } from '../../../lib/headers.ts';
import { receiptPageCsp, renderReceiptPage } from '../../../receipts/page/receipt-page.ts';
import { receiptRow, receiptSchema } from '../../../receipts/receipt.ts';
import type { ReceiptIssuer } from '../../../receipts/receipt-issuer.ts';
import type { ReceiptKeys } from '../../../receipts/receipt-keys.ts';
import { limits as telemetryLimits } from '../../../telemetry/limits.ts';
import { limits } from '../../limits.ts';
import { type AccountCaller, requireRightOf } from '../access.ts';
import { type AccessRule, bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiResponse, ApiRoute } from '../route.ts';
import { TimeCursors } from '../time-cursor.ts';
import { parseQuery } from '../validation.ts';

export interface ReceiptsParts {
  readonly receipts: Pick<Receipts, 'find' | 'page'>;
  readonly issuer: Pick<ReceiptIssuer, 'waiting' | 'flush'>;
  readonly keys: Pick<ReceiptKeys, 'publicKeySet'>;
}

const receiptId = /^rcpt_[0-9a-f]{32}$/;
const cursors = new TimeCursors(receiptId);

const query = {
  limit: pageLimitSchema(limits.receiptPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the older receipts that follow it'),
};

const pageSchema = z.strictObject({
  receipts: z.array(receiptSchema).describe('Newest first'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
});

/** Authentication is optional: public receipts need none. */
const byOptionalCaller: AccessRule<AccountCaller | undefined> = {
  name: 'public',
  async check({ access, ...request }) {
    try {
      const caller = await access.sessionOrKey(request);
      requireRightOf(caller, 'calls:read');
      return caller;
    } catch (refusal) {
      if (GatewayError.is(refusal) && refusal.status < 500) return undefined;
      throw refusal;
    }
  },
};

/** Receipts, and the public keys that verify them. */
export function receiptsRoutes({ receipts, issuer, keys }: ReceiptsParts): readonly ApiRoute[] {
  const tag = 'Receipts';
  // The client may ask right after its call, before the receipt is stored.
  const upToDate = async () => {
    if (issuer.waiting > 0) await issuer.flush(telemetryLimits.requestLogReadFlushMs);
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/receipts',
      summary: 'List the receipts of the account, including claimed ones',
      tag,
      access: bySessionOrKey('calls'),
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of receipts', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ caller, query: sent }) {
        const { limit = defaultPageLimit, after } = parseQuery(query, sent);
        await upToDate();
        const cursorPosition = after === undefined ? undefined : cursors.decode(after);
        const page = await receipts.page({
          accountId: caller.kind === 'local' ? undefined : caller.accountId,
          after: cursorPosition && { createdAtMs: cursorPosition.atMs, id: cursorPosition.id },
          limit: limit + 1,
        });
        const shown = page.slice(0, limit);
        const last = page.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            receipts: shown.map(receiptRow),
            has_more: last !== undefined,
            next_cursor: last === undefined ? null : cursors.encode({ atMs: last.createdAtMs, id: last.id }),
          },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/receipts/:receipt_id',
      summary: 'Get a receipt as JSON or as a page',
      tag,
      access: byOptionalCaller,
      body: noBody,
      responses: {
        200: {
          description: 'The receipt; an HTML page if the client accepts text/html',
          schema: receiptSchema,
        },
        404: { description: 'Unknown receipt, or it belongs to another account' },
      },
      async handle({ caller, headers, parameters: { receipt_id: id = '' } }) {
        await upToDate();
        const receipt = receiptId.test(id) ? await receipts.find(id) : undefined;
        if (receipt === undefined || !isVisibleTo(receipt, caller))
          throw new GatewayError('not_found', 'no such receipt');
        return receiptResponse(receipt, headerOf(headers, 'accept') ?? '');
      },
    }),
    {
      kind: 'own',
      method: 'GET',
      path: '/.well-known/jwks.json',
      summary: 'List the public keys that verify receipts, including retired ones',
      tag,
      access: 'public',
      responses: {
        200: {
          description: 'A JSON Web Key Set',
          schema: z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) }),
        },
      },
      handle: async () => ({
        headers: ['cache-control', 'public, max-age=60'],
        body: await keys.publicKeySet(),
      }),
    },
  ];
}

function isVisibleTo({ visibility, accountId }: OwnedReceipt, caller: AccountCaller | undefined): boolean {
  if (visibility === 'public_demo' || caller?.kind === 'local') return true;
  return caller !== undefined && caller.accountId === accountId;
}

function receiptResponse(receipt: StoredReceipt, accept: string): ApiResponse {
  const row = receiptRow(receipt);
  const caching = row.visibility === 'private' ? 'no-store' : 'public, max-age=3600';
  const headers = ['cache-control', caching, 'vary', 'accept'];
  if (!accept.includes('text/html')) return { headers, body: row };
  return {
    headers: [...headers, 'content-security-policy', receiptPageCsp, 'referrer-policy', 'no-referrer'],
    contentType: 'text/html; charset=utf-8',
    body: renderReceiptPage(row),
  };
}
