import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { headerOf } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import type { OwnedReceipt, Receipts, StoredReceipt } from '../../../kernel/ports/receipts.ts';
import { pagePolicy, receiptPage } from '../../../receipts/page/receipt-page.ts';
import { receiptRow, receiptSchema } from '../../../receipts/receipt.ts';
import type { ReceiptKeys } from '../../../receipts/receipt-keys.ts';
import type { ReceiptOffice } from '../../../receipts/receipt-office.ts';
import type { AccountCaller } from '../access.ts';
import { checkedQuery } from '../checked.ts';
import { type AccessRule, bySessionOrKey, checkedRoute } from '../checked-route.ts';
import { noBody } from '../json-body.ts';
import { pageLimit, usualLimit } from '../page-limit.ts';
import type { OwnAnswer, OwnRoute } from '../route.ts';
import { TimeCursors } from '../time-cursor.ts';

export interface ReceiptsParts {
  readonly receipts: Pick<Receipts, 'find' | 'page'>;
  readonly office: Pick<ReceiptOffice, 'waiting' | 'flush'>;
  readonly keys: Pick<ReceiptKeys, 'published'>;
}

const ids = /^rcpt_[0-9a-f]{32}$/;
const cursors = new TimeCursors(ids);

const query = {
  limit: pageLimit(limits.receiptPageMax),
  after: cursors.after('A `next_cursor`: the receipts that come after it in the list, which are older'),
};

const pageSchema = z.strictObject({
  receipts: z.array(receiptSchema).describe('The newest first'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('For `after`; null where there is nothing older'),
});

/** Whoever it is: strangers may look, too. */
const byAnybody: AccessRule<AccountCaller | undefined> = {
  name: 'public',
  async check({ access, ...asked }) {
    try {
      return await access.sessionOrKey(asked);
    } catch (refusal) {
      if (GatewayError.is(refusal) && refusal.status < 500) return undefined;
      throw refusal;
    }
  },
};

/** Receipts, and the keys that they are checked with. */
export function receiptsRoutes({ receipts, office, keys }: ReceiptsParts): readonly OwnRoute[] {
  const tag = 'Receipts';
  // Who asks has just had an answer, perhaps.
  const upToDate = async () => {
    if (office.waiting > 0) await office.flush(limits.requestLogReadFlushMs);
  };
  return [
    checkedRoute({
      method: 'GET',
      path: '/v1/receipts',
      summary: 'The receipts of the account, and those that it claimed',
      tag,
      access: bySessionOrKey,
      query,
      body: noBody,
      answers: {
        200: { description: 'A page of receipts', schema: pageSchema },
        400: { description: 'The query is wrong' },
        401: { description: 'No credential that holds' },
      },
      async handle({ caller, query: sent }) {
        const { limit = usualLimit, after } = checkedQuery(query, sent);
        await upToDate();
        const place = after === undefined ? undefined : cursors.placeOf(after);
        const found = await receipts.page({
          accountId: caller.kind === 'local' ? undefined : caller.accountId,
          after: place && { createdAtMs: place.atMs, id: place.id },
          limit: limit + 1,
        });
        const shown = found.slice(0, limit);
        const last = found.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            receipts: shown.map(receiptRow),
            has_more: last !== undefined,
            next_cursor: last === undefined ? null : cursors.of({ atMs: last.createdAtMs, id: last.id }),
          },
        };
      },
    }),
    checkedRoute({
      method: 'GET',
      path: '/v1/receipts/:receipt_id',
      summary: 'One receipt, as JSON or as a page',
      tag,
      access: byAnybody,
      body: noBody,
      answers: {
        200: { description: 'The receipt; a page for who asks for text/html', schema: receiptSchema },
        404: { description: 'There is no such receipt, or it is somebody else’s' },
      },
      async handle({ caller, headers, parameters: { receipt_id: id = '' } }) {
        await upToDate();
        const receipt = ids.test(id) ? await receipts.find(id) : undefined;
        if (receipt === undefined || !mayBeSeen(receipt, caller))
          throw new GatewayError('not_found', 'there is no such receipt');
        return answerWith(receipt, headerOf(headers, 'accept') ?? '');
      },
    }),
    {
      kind: 'own',
      method: 'GET',
      path: '/.well-known/jwks.json',
      summary: 'The keys that receipts are checked with, retired ones too',
      tag,
      access: 'public',
      answers: {
        200: {
          description: 'A JSON Web Key Set',
          schema: z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) }),
        },
      },
      handle: async () => ({
        headers: ['cache-control', 'public, max-age=60'],
        body: await keys.published(),
      }),
    },
  ];
}

function mayBeSeen({ visibility, accountId }: OwnedReceipt, caller: AccountCaller | undefined): boolean {
  if (visibility === 'public_demo' || caller?.kind === 'local') return true;
  return caller !== undefined && caller.accountId === accountId;
}

function answerWith(receipt: StoredReceipt, accept: string): OwnAnswer {
  const row = receiptRow(receipt);
  const caching = row.visibility === 'private' ? 'no-store' : 'public, max-age=3600';
  const headers = ['cache-control', caching, 'vary', 'accept'];
  if (!accept.includes('text/html')) return { headers, body: row };
  return {
    headers: [...headers, 'content-security-policy', pagePolicy, 'referrer-policy', 'no-referrer'],
    type: 'text/html; charset=utf-8',
    body: receiptPage(row),
  };
}
