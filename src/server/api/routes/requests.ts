import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import type { ApiKeys } from '../../../kernel/ports/records.ts';
import type { LogPage, LogQuery, RequestLog } from '../../../kernel/ports/request-log.ts';
import type { RateCard } from '../../../kernel/rate-card.ts';
import { isRequestId, timeOfId } from '../../../kernel/request-id.ts';
import { limits } from '../../limits.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute, inProject } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { namedProject, type ProjectScope, projectOfCall } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';
import { callSchema, describeCall } from './call-schema.ts';
import { costPartsOf, costPartsSchema } from './cost-parts.ts';
import { cursorSchema, decodeCursor, encodeCursor } from './request-cursor.ts';
import { filterOf, filterQuery, loggedAccountOf } from './request-filter.ts';

export interface RequestsParts {
  readonly keys: Pick<ApiKeys, 'byId'>;
  /** Includes entries that this process has not flushed yet. */
  readonly log: Pick<RequestLog, 'page' | 'find'>;
  /** The current rates of a model; undefined if unknown. */
  rates(provider: string, model: string): RateCard | undefined;
}

const query = {
  limit: pageLimitSchema(limits.requestLogPageMax),
  after: cursorSchema.describe('A `next_cursor`: returns the older calls that follow it'),
  before: cursorSchema.describe('A `previous_cursor`: returns the newer calls that precede it'),
  sort: z
    .enum(['cost', 'duration', 'tokens'], 'must be cost, duration or tokens')
    .optional()
    .describe('The most expensive, slowest or largest calls first, in one page; without it the newest first'),
  ...filterQuery,
};

type RequestsQuery = z.output<z.ZodObject<typeof query>>;

const pageSchema = z.object({
  requests: z.array(callSchema).describe('Newest first, or by `sort`'),
  has_more: z.boolean().describe('Whether there may be more in the requested direction'),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
  previous_cursor: z.string().nullable().describe('For `before`, also to poll for new calls'),
  sorted_since: z.iso
    .datetime()
    .nullable()
    .describe(
      'With `sort`: earlier calls were left out, because there are too many to sort at once; null if all matching calls were sorted',
    ),
});

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };

/** The calls of an account, or of the whole gateway in local mode. */
export function requestsRoutes({ log, rates, keys }: RequestsParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/requests',
      summary: 'List calls',
      tag: 'Usage',
      access: inProject(bySessionOrKey('calls'), namedProject),
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of calls', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const question = logQueryOf(parseQuery(query, sent), caller);
        return { body: describePage(await log.page(question), question) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/requests/:id',
      summary: 'Get a call',
      tag: 'Usage',
      access: inProject(
        bySessionOrKey('calls'),
        projectOfCall({
          keyOf: async (accountId, id) => (await log.find(id, accountId))?.keyId,
          keys,
          unknown: unknownCallError,
        }),
      ),
      body: noBody,
      responses: {
        200: { description: 'The call', schema: callSchema.extend({ cost_parts: costPartsSchema }) },
        404: { description: 'The account has no such call, or it has expired' },
        ...unauthenticated,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const call = isRequestId(id) ? await log.find(id, loggedAccountOf(caller)) : undefined;
        if (call === undefined) throw unknownCallError();
        const { provider, modelUsed } = call;
        const card = provider === null || modelUsed === null ? undefined : rates(provider, modelUsed);
        return { body: { ...describeCall(call), cost_parts: costPartsOf(call, card) } };
      },
    }),
  ];
}

function logQueryOf(query: RequestsQuery, caller: AccountCaller & ProjectScope): LogQuery {
  return {
    accountId: loggedAccountOf(caller),
    filter: filterOf(query, caller),
    beside: cursorPositionOf(query),
    sort: query.sort,
    limit: query.limit ?? defaultPageLimit,
  };
}

function cursorPositionOf({ after, before, sort }: RequestsQuery): LogQuery['beside'] {
  if (sort !== undefined && (after ?? before) !== undefined)
    throw new GatewayError('invalid_request', '"sort" cannot be combined with a cursor', { param: 'sort' });
  if (after !== undefined && before !== undefined)
    throw new GatewayError('invalid_request', '"before" and "after" cannot be combined', { param: 'before' });
  const id = decodeCursor(after ?? before ?? '');
  return id === undefined ? undefined : { id, side: after === undefined ? 'newer' : 'older' };
}

function describePage({ calls, more, reached }: LogPage, { beside, sort }: LogQuery): object {
  if (sort !== undefined)
    return {
      requests: calls.map(describeCall),
      ...{ has_more: false, next_cursor: null, previous_cursor: null },
      sorted_since: more && reached !== undefined ? timestamp(timeOfId(reached)) : null,
    };
  const newer = beside?.side === 'newer';
  const next = newer ? calls.at(-1)?.id : more ? reached : undefined;
  const previous = newer ? reached : calls.at(0)?.id;
  return {
    requests: calls.map(describeCall),
    has_more: more,
    next_cursor: next === undefined ? null : encodeCursor(next),
    previous_cursor: previous === undefined ? null : encodeCursor(previous),
    sorted_since: null,
  };
}

function unknownCallError(): GatewayError {
  return new GatewayError('not_found', 'no such call in the request log');
}
