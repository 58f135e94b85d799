import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import type { LogFilter, LogPage, LogQuery, RequestLog } from '../../../kernel/ports/request-log.ts';
import type { RateCard } from '../../../kernel/rate-card.ts';
import { isRequestId } from '../../../kernel/request-id.ts';
import { limits } from '../../limits.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { callSchema, describeCall } from './call-schema.ts';
import { costPartsOf, costPartsSchema } from './cost-parts.ts';
import { decodeCursor, encodeCursor } from './request-cursor.ts';

export interface RequestsParts {
  /** Includes entries that this process has not flushed yet. */
  readonly log: Pick<RequestLog, 'page' | 'find'>;
  /** The current rates of a model; undefined if unknown. */
  rates(provider: string, model: string): RateCard | undefined;
}

const dayMs = 86_400_000;
const invalidTime = 'must be a day such as 2026-11-15, or a time such as 2026-11-15T12:00:00Z';
const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], invalidTime)
  .refine((text) => text >= '2000-01-01' && !Number.isNaN(Date.parse(text)), invalidTime)
  .optional();
const cursor = z
  .string()
  .refine((text) => decodeCursor(text) !== undefined, 'must be a cursor from an earlier response')
  .optional();
const name = z
  .string()
  .min(1, 'must not be empty')
  .max(kernelLimits.modelNameMax, `must have at most ${kernelLimits.modelNameMax} characters`)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters')
  .optional();

const effects = [
  'passed',
  'changed-request',
  'answered',
  'changed-reply',
  'changed-both',
  'rejected',
  'broken',
] as const;

const query = {
  limit: pageLimitSchema(limits.requestLogPageMax),
  after: cursor.describe('A `next_cursor`: returns the older calls that follow it'),
  before: cursor.describe('A `previous_cursor`: returns the newer calls that precede it'),
  from: time.describe('Calls since this day (UTC) or time'),
  to: time.describe('Calls until the end of this day (UTC), or before this time'),
  model: name.describe('The requested or the used model'),
  provider: name.describe('The name of a provider'),
  key_id: name.describe('The id of an API key'),
  client: name.describe('The program that made the call'),
  conversation: name.describe('The name of a conversation'),
  end_user: name.describe('The pseudonym of an end user, as in the rows'),
  status: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d|error)$/, 'must be a status such as 200, a class such as 4xx, or error')
    .optional()
    .describe('A status such as 200, a class such as 4xx, or `error` for all failed calls'),
  ending: z
    .enum(['complete', 'aborted', 'failed'], 'must be complete, aborted or failed')
    .optional()
    .describe('How the answer ended'),
  module: name.describe('A module that changed, answered or rejected the call, or failed'),
  effect: z
    .enum(effects, `must be one of ${effects.join(', ')}`)
    .optional()
    .describe(
      'The effect of `module`, or of any module. `changed-request` and `changed-reply` also match `changed-both`',
    ),
  search: name.describe('Part of a model name or an error, or the beginning of an id'),
};

type RequestsQuery = z.output<z.ZodObject<typeof query>>;

const pageSchema = z.object({
  requests: z.array(callSchema).describe('Newest first'),
  has_more: z.boolean().describe('Whether there may be more in the requested direction'),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
  previous_cursor: z.string().nullable().describe('For `before`, also to poll for new calls'),
});

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };

/** The calls of an account, or of the whole gateway in local mode. */
export function requestsRoutes({ log, rates }: RequestsParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/requests',
      summary: 'List calls',
      tag: 'Usage',
      access: bySessionOrKey,
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
      access: bySessionOrKey,
      body: noBody,
      responses: {
        200: { description: 'The call', schema: callSchema.extend({ cost_parts: costPartsSchema }) },
        404: { description: 'The account has no such call, or it has expired' },
        ...unauthenticated,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const call = isRequestId(id) ? await log.find(id, accountOf(caller)) : undefined;
        if (call === undefined) throw new GatewayError('not_found', 'no such call in the request log');
        const { provider, modelUsed } = call;
        const card = provider === null || modelUsed === null ? undefined : rates(provider, modelUsed);
        return { body: { ...describeCall(call), cost_parts: costPartsOf(call, card) } };
      },
    }),
  ];
}

function accountOf(caller: AccountCaller): string | undefined {
  return caller.kind === 'local' ? undefined : caller.accountId;
}

function logQueryOf(query: RequestsQuery, caller: AccountCaller): LogQuery {
  return {
    accountId: accountOf(caller),
    filter: filterOf(query),
    beside: cursorPositionOf(query),
    limit: query.limit ?? defaultPageLimit,
  };
}

function filterOf(query: RequestsQuery): LogFilter {
  const { from, to, key_id: keyId, end_user: endUser, status, ...same } = query;
  const { model, provider, client, conversation, ending, module, effect, search } = same;
  const fromMs = from === undefined ? undefined : Date.parse(from);
  const toMs = to === undefined ? undefined : endOfRange(to);
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw new GatewayError('invalid_request', 'from: must be before to', { param: 'from' });
  return {
    fromMs,
    toMs,
    model,
    provider,
    keyId,
    client,
    conversation,
    endUser,
    ending,
    module,
    effect,
    search,
    status: statusFilterOf(status),
  };
}

/** A day includes all of its calls. */
function endOfRange(to: string): number {
  return Date.parse(to) + (to.includes('T') ? 0 : dayMs);
}

function statusFilterOf(status: string | undefined): LogFilter['status'] {
  if (status === undefined || status === 'error') return status;
  const least = Number(status.replace('xx', '00'));
  return { least, greatest: status.endsWith('xx') ? least + 99 : least };
}

function cursorPositionOf({ after, before }: RequestsQuery): LogQuery['beside'] {
  if (after !== undefined && before !== undefined)
    throw new GatewayError('invalid_request', '"before" and "after" cannot be combined', { param: 'before' });
  const id = decodeCursor(after ?? before ?? '');
  return id === undefined ? undefined : { id, side: after === undefined ? 'newer' : 'older' };
}

function describePage({ calls, more, reached }: LogPage, { beside }: LogQuery): object {
  const newer = beside?.side === 'newer';
  const next = newer ? calls.at(-1)?.id : more ? reached : undefined;
  const previous = newer ? reached : calls.at(0)?.id;
  return {
    requests: calls.map(describeCall),
    has_more: more,
    next_cursor: next === undefined ? null : encodeCursor(next),
    previous_cursor: previous === undefined ? null : encodeCursor(previous),
  };
}
