import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { formatUsd } from '../../../kernel/money.ts';
import type {
  ConversationReader,
  ConversationSums,
  LoggedCall,
  LogPage,
  LogReader,
} from '../../../kernel/ports/request-log.ts';
import {
  type ConversationTurn,
  ConversationTurns,
  cacheBreakReasons,
  contextTokensOf,
  type PricingOf,
} from '../../../telemetry/request-log/conversation-turns.ts';
import { limits } from '../../limits.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';
import { parseQuery } from '../validation.ts';
import { callSchema, describeCall, describeToolCalls, toolCallsSchema } from './call-schema.ts';
import { cursorSchema, decodeCursor, encodeCursor } from './request-cursor.ts';
import { filterOf, filterQuery, loggedAccountOf } from './request-filter.ts';

export interface ConversationsParts {
  /** Includes calls that this process has not stored yet. */
  readonly log: ConversationReader & Pick<LogReader, 'page'>;
  readonly pricingOf: PricingOf;
}

const conversationName = /^[A-Za-z0-9._:-]{1,128}$/;
const cursors = new TimeCursors(conversationName);
const { client, end_user, key_id } = filterQuery;
const listQuery = {
  limit: pageLimitSchema(limits.conversationsPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the conversations that follow it'),
  from: filterQuery.from.describe('Conversations with calls since this day (UTC) or time'),
  to: filterQuery.to.describe(
    'Conversations whose last call ended by the end of this day (UTC), or before this time',
  ),
  ...{ client, end_user, key_id },
  search: z
    .string()
    .regex(conversationName, 'must be the beginning of a name: letters, digits and . _ : -')
    .optional()
    .describe('The beginning of a name'),
};
const callsQuery = {
  limit: pageLimitSchema(limits.requestLogPageMax),
  after: cursorSchema.describe('A `next_cursor`: returns the calls that follow it'),
};

const usd = z.string().describe('In US dollars, as a decimal number');
const conversationSchema = z.strictObject({
  id: z.string().describe('The name of the conversation, as in the header `x-weir-conversation`'),
  account_id: z.string(),
  client: z.string().nullable().describe('The program that made the first call, by its user agent'),
  end_user: z.string().nullable().describe('A pseudonym of the end user'),
  key_id: z.string().nullable(),
  models: z.array(z.string()).describe('In the order of their first calls'),
  started_at: z.iso.datetime().describe('When the first call arrived'),
  ended_at: z.iso.datetime().describe('When the last call ended'),
  duration_ms: z.int(),
  calls: z.int().describe('Includes calls of subagents'),
  failed: z.int(),
  input_tokens: z.int().describe("Excludes tokens read from or written to the provider's cache"),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_usd: usd,
  saved_usd: usd.describe('Savings by modules; negative if they cost more'),
});
const listSchema = z.strictObject({
  conversations: z.array(conversationSchema).describe('Those with the newest last call first'),
  next_cursor: z.string().nullable().describe('For `after`; null when there are no more'),
});
const turnSchema = callSchema.extend({
  cause: z
    .enum(['prompt', 'tool_results'])
    .nullable()
    .describe(
      'What the client sent since the answer before: a prompt, or the results of tools; null if unknown',
    ),
  results_of: toolCallsSchema.describe(
    'The tools whose results the call has in addition to the call before, and how often each was called; empty without results',
  ),
  result_tokens: z
    .int()
    .nullable()
    .describe(
      'By how much the request is longer than the request before with its answer, mostly the results; null without results, or if unknown',
    ),
  is_compaction: z.boolean().describe('Whether the agent had its conversation summarized'),
  shortened_from: z
    .int()
    .nullable()
    .describe(
      'The `context_tokens` of the call before, if the history is much shorter now: compacted, or taken back; null otherwise',
    ),
  context_tokens: z.int().nullable().describe('The tokens of the request, cached or not'),
  cache_break: z
    .strictObject({
      reason: z
        .enum(cacheBreakReasons)
        .describe(
          'Another `model`; `tools` or `instructions` that the client changed; a history that the client `compacted`, or changed (`history`); a `module`; a cache that has `expired`; or `unknown`',
        ),
      lost_tokens: z.int().describe('Tokens that the provider had cached and read again'),
      cost_usd: usd
        .nullable()
        .describe(
          "The cost beyond the price of reading them from the cache, at today's prices; null if unknown",
        ),
    })
    .nullable()
    .describe(
      "Why the call read less from the provider's cache than the call before had left there; null if it did not",
    ),
});
const timelineSchema = z.strictObject({
  conversation: conversationSchema,
  calls: z.array(turnSchema).describe('In order; calls of subagents have a `parent_conversation`'),
  next_cursor: z.string().nullable().describe('For `after`; null when there are no more'),
});

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };

/** Conversations of an account, or of the whole gateway in local mode. */
export function conversationsRoutes({ log, pricingOf }: ConversationsParts): readonly ApiRoute[] {
  const tag = 'Usage';
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/conversations',
      summary: 'List conversations',
      tag,
      access: bySessionOrKey('calls'),
      query: listQuery,
      body: noBody,
      responses: {
        200: { description: 'A page of conversations', schema: listSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const { limit = defaultPageLimit, after, search, ...filters } = parseQuery(listQuery, sent);
        const { fromMs, toMs, keyId, client, endUser } = filterOf(filters, { keyIds: undefined });
        const position = after === undefined ? undefined : cursors.decode(after);
        const { conversations, next } = await log.conversations({
          ...{ accountId: loggedAccountOf(caller), fromMs, toMs, keyId, client, endUser, search, limit },
          after: position && { lastMs: position.atMs, conversation: position.id },
        });
        return {
          body: {
            conversations: conversations.map(describeConversation),
            next_cursor:
              next === undefined ? null : cursors.encode({ atMs: next.lastMs, id: next.conversation }),
          },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/conversations/:id',
      summary: 'Get a conversation and its calls in order',
      tag,
      access: bySessionOrKey('calls'),
      query: callsQuery,
      body: noBody,
      responses: {
        200: { description: 'The sums of the conversation, and a page of its calls', schema: timelineSchema },
        400: { description: 'A query parameter is invalid' },
        404: { description: 'The account has no such conversation, or it has expired' },
        ...unauthenticated,
      },
      async handle({ caller, parameters: { id = '' }, query: sent }) {
        const { limit = defaultPageLimit, after } = parseQuery(callsQuery, sent);
        const conversation = conversationName.test(id)
          ? await log.conversation(id, loggedAccountOf(caller))
          : undefined;
        if (conversation === undefined)
          throw new GatewayError('not_found', 'no such conversation; GET /v1/conversations lists them');
        const page = await readCalls(log, conversation, decodeCursor(after ?? ''), limit);
        const turns = new ConversationTurns(pricingOf);
        if (after !== undefined) for (const call of await readEarlierCalls(log, page.calls)) turns.add(call);
        return {
          body: {
            conversation: describeConversation(conversation),
            calls: page.calls.map((call) => describeTurn(turns.add(call))),
            next_cursor: page.more && page.reached !== undefined ? encodeCursor(page.reached) : null,
          },
        };
      },
    }),
  ];
}

/** The oldest first. */
async function readCalls(
  log: ConversationsParts['log'],
  { accountId, conversation }: ConversationSums,
  afterId: string | undefined,
  limit: number,
): Promise<LogPage> {
  const page = await log.page({
    ...{ accountId, filter: { session: conversation }, limit },
    beside: { id: afterId ?? '', side: 'newer' },
  });
  return { ...page, calls: page.calls.toReversed() };
}

/** The last calls before a page in each of its conversations, to which its first calls are compared. */
async function readEarlierCalls(
  log: ConversationsParts['log'],
  calls: readonly LoggedCall[],
): Promise<readonly LoggedCall[]> {
  const firstCalls = new Map(calls.toReversed().map((call) => [call.conversation, call]));
  const earlier: LoggedCall[] = [];
  for (const [conversation, { accountId, id }] of [...firstCalls].slice(-limits.comparedConversationsMax)) {
    if (conversation === null) continue;
    const page = await log.page({
      ...{ accountId, filter: { conversation }, limit: limits.comparedCallsMax },
      beside: { id, side: 'older' },
    });
    earlier.push(...page.calls.toReversed());
  }
  return earlier;
}

function describeConversation(sums: ConversationSums): z.output<typeof conversationSchema> {
  return {
    id: sums.conversation,
    account_id: sums.accountId,
    client: sums.client,
    end_user: sums.endUser,
    key_id: sums.keyId,
    models: [...sums.models],
    started_at: timestamp(sums.firstMs),
    ended_at: timestamp(sums.lastMs),
    duration_ms: sums.lastMs - sums.firstMs,
    calls: sums.requests,
    failed: sums.failed,
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    cache_read_tokens: sums.cacheReadTokens,
    cache_write_tokens: sums.cacheWriteTokens,
    cost_usd: formatUsd(sums.costNanoUsd),
    saved_usd: formatUsd(sums.savedNanoUsd),
  };
}

function describeTurn({
  call,
  cause,
  toolResults,
  isCompaction,
  shortenedFrom,
  cacheBreak,
}: ConversationTurn): z.output<typeof turnSchema> {
  return {
    ...describeCall(call),
    cause: cause === 'tool-results' ? 'tool_results' : cause,
    results_of: describeToolCalls(toolResults?.of ?? {}),
    result_tokens: toolResults?.tokens ?? null,
    is_compaction: isCompaction,
    shortened_from: shortenedFrom ?? null,
    context_tokens: call.inputTokens === null ? null : contextTokensOf(call),
    cache_break:
      cacheBreak === undefined
        ? null
        : {
            reason: cacheBreak.reason,
            lost_tokens: cacheBreak.lostTokens,
            cost_usd: cacheBreak.costNanoUsd === null ? null : formatUsd(cacheBreak.costNanoUsd),
          },
  };
}
