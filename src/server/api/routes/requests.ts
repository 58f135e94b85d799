import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { LogFilter, LogPage, LogQuery, RequestLog } from '../../../kernel/ports/request-log.ts';
import type { RateCard } from '../../../kernel/rate-card.ts';
import { isRequestId } from '../../../kernel/request-id.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { defaultPageLimit, pageLimitSchema } from '../page-limit.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { callSchema, describeCall } from './call-schema.ts';
import { costPartsOf, costPartsSchema } from './cost-parts.ts';
import { decodeCursor, encodeCursor } from './request-cursor.ts';

export interface RequestsParts {
  /** With what this process has recorded until now. */
  readonly log: Pick<RequestLog, 'page' | 'find'>;
  /** What a model costs now; undefined where nobody knows. */
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
  .refine((text) => decodeCursor(text) !== undefined, 'must be a cursor from an earlier answer')
  .optional();
const name = z
  .string()
  .min(1, 'must not be empty')
  .max(limits.modelNameMax, `must have at most ${limits.modelNameMax} characters`)
  .refine((text) => !text.includes('\0'), 'has a NUL character')
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
  after: cursor.describe('A `next_cursor`: the calls that come after it in the list, which are older'),
  before: cursor.describe('A `previous_cursor`: the calls that come before it in the list, which are newer'),
  from: time.describe('Calls since this day of UTC, or this time'),
  to: time.describe('Calls until the end of this day of UTC, or before this time'),
  model: name.describe('As it was asked for, or as it was used'),
  provider: name.describe('The name of a provider'),
  key_id: name.describe('The id of an API key'),
  status: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d|error)$/, 'must be a status such as 200, a class such as 4xx, or error')
    .optional()
    .describe('A status such as 200, a class such as 4xx, or `error` for all that went wrong'),
  ending: z
    .enum(['complete', 'aborted', 'failed'], 'must be complete, aborted or failed')
    .optional()
    .describe('How the answer ended'),
  module: name.describe('A module that changed, answered or refused the call, or broke'),
  effect: z
    .enum(effects, `must be one of ${effects.join(', ')}`)
    .optional()
    .describe(
      'What a module was seen to do: the one that is named, or any. `changed-request` and `changed-reply` find `changed-both`, too',
    ),
  search: name.describe('A part of a model’s name or of an error’s code, or the beginning of an id'),
};

type RequestsQuery = z.output<z.ZodObject<typeof query>>;

const pageSchema = z.object({
  requests: z.array(callSchema).describe('The newest first'),
  has_more: z.boolean().describe('Whether there may be more on the side that was asked for'),
  next_cursor: z.string().nullable().describe('For `after`; null where there is nothing older'),
  previous_cursor: z.string().nullable().describe('For `before`, also to see later what is new'),
});

const unauthenticated = { 401: { description: 'No credential that holds' } };

/** Calls of an account one by one; a local gateway has one user, who sees all of them. */
export function requestsRoutes({ log, rates }: RequestsParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/requests',
      summary: 'The calls that were made, one by one',
      tag: 'Usage',
      access: bySessionOrKey,
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of calls', schema: pageSchema },
        400: { description: 'The query is wrong' },
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
      summary: 'One call',
      tag: 'Usage',
      access: bySessionOrKey,
      body: noBody,
      responses: {
        200: { description: 'The call', schema: callSchema.extend({ cost_parts: costPartsSchema }) },
        404: { description: 'The account made no such call, or it is forgotten' },
        ...unauthenticated,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const call = isRequestId(id) ? await log.find(id, accountOf(caller)) : undefined;
        if (call === undefined) throw new GatewayError('not_found', 'there is no such call in the log');
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

function logQueryOf(asked: RequestsQuery, caller: AccountCaller): LogQuery {
  return {
    accountId: accountOf(caller),
    filter: filterOf(asked),
    beside: cursorPositionOf(asked),
    limit: asked.limit ?? defaultPageLimit,
  };
}

function filterOf({ from, to, key_id: keyId, status, ...same }: RequestsQuery): LogFilter {
  const { model, provider, ending, module, effect, search } = same;
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
    ending,
    module,
    effect,
    search,
    status: statusFilterOf(status),
  };
}

/** A day counts to its end. */
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
    throw new GatewayError('invalid_request', 'before: can not be there with after', { param: 'before' });
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
