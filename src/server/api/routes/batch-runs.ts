import { z } from 'zod';
import type { BatchList, ListedBatch } from '../../../calls/batches/batch-list.ts';
import { localAccountId } from '../../../calls/local-setting.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { formatUsd } from '../../../kernel/money.ts';
import type { AccountCaller } from '../access.ts';
import { byPerson, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';

const count = z.int().nullable();
const batchSchema = z.strictObject({
  id: z.string(),
  provider: z.string().describe('`weir` for a batch that the gateway runs itself'),
  is_own: z.boolean().describe('Whether the gateway runs it itself'),
  state: z.string().describe('In the words of the provider, as it last described the batch'),
  calls: count,
  completed: count,
  failed: count,
  cost_usd: z
    .string()
    .nullable()
    .describe('So far, if the gateway runs it; null until the results of a provider’s batch are billed'),
  created_at: z.iso.datetime().nullable(),
  results: z.array(z.enum(['answers', 'errors'])).describe('What can be downloaded here'),
});
const listSchema = z.strictObject({ batches: z.array(batchSchema).describe('The newest first') });

const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
const unknown = { 404: { description: 'The gateway runs no such batch of the account' } };

const resultsQuery = {
  which: z.enum(['answers', 'errors']).default('answers').describe('Lines with an answer, or the others'),
};

/** Batches for account holders; programs use the APIs of the providers. */
export function batchRunRoutes(batches: BatchList): readonly ApiRoute[] {
  const tag = 'Batches';
  return [
    defineRoute({
      tag,
      access: byPerson('calls'),
      method: 'GET',
      path: '/v1/batch-runs',
      summary: 'List the batches of all APIs, with their progress and cost',
      body: noBody,
      responses: { 200: { description: 'The batches', schema: listSchema }, ...unauthenticated },
      handle: async ({ caller }) => ({
        body: { batches: (await batches.list(callerOf(caller))).map(describe) },
      }),
    }),
    defineRoute({
      tag,
      access: byPerson('content'),
      method: 'POST',
      audit: 'batch.canceled',
      path: '/v1/batch-runs/:id/cancel',
      summary: 'Cancel a batch that the gateway runs',
      body: noBody,
      responses: { 204: { description: 'No further call begins' }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { id = '' } }) {
        await batches.cancel(callerOf(caller), id);
        return { status: 204, audit: { batch: id } };
      },
    }),
    defineRoute({
      tag,
      access: byPerson('content'),
      method: 'GET',
      path: '/v1/batch-runs/:id/results',
      summary: 'Download the results of a batch that the gateway has run',
      query: resultsQuery,
      body: noBody,
      responses: {
        200: { description: 'A JSON line for each call', contentType: 'application/jsonl' },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' }, query }) {
        const { which } = parseQuery(resultsQuery, query);
        const stream = await batches.results(callerOf(caller), id, which);
        return {
          headers: ['content-disposition', `attachment; filename="${which}.jsonl"`],
          contentType: 'application/jsonl; charset=utf-8',
          stream,
        };
      },
    }),
  ];
}

/** Whose batches they are, without the key that made them. */
function callerOf({ accountId }: AccountCaller): Caller {
  return accountId === localAccountId ? { kind: 'local' } : { kind: 'account', accountId, keyId: '' };
}

function describe(batch: ListedBatch): z.output<typeof batchSchema> {
  const { id, provider, isOwn, state, calls, completed, failed, costNanoUsd, madeAtMs, results } = batch;
  return {
    ...{ id, provider, is_own: isOwn, state },
    ...{ calls: calls ?? null, completed: completed ?? null, failed: failed ?? null },
    cost_usd: costNanoUsd === undefined ? null : formatUsd(costNanoUsd),
    created_at: madeAtMs === undefined ? null : timestamp(madeAtMs),
    results: [...results],
  };
}
