import { z } from 'zod';
import { formatUsd } from '../../../kernel/money.ts';
import type { LoggedAttempt, LoggedCall } from '../../../kernel/ports/request-log.ts';
import { promptOfTags } from '../../../kernel/tags.ts';
import { timestamp } from '../text.ts';

const tokens = z.int().nullable();
const usd = z.string().describe('In US dollars, as a decimal number');

/** Tools, and how often each is called. */
export const toolCallsSchema = z.array(z.strictObject({ name: z.string(), count: z.int() }));

/** A call of the request log, as the API returns it. */
export const callSchema = z.strictObject({
  id: z.string().describe('The `x-request-id` header of the response'),
  created_at: z.iso.datetime().describe('When the call arrived'),
  account_id: z.string(),
  key_id: z.string().nullable(),
  asked_by: z.string().nullable().describe('The module that made the call; null for calls by clients'),
  agent: z
    .string()
    .nullable()
    .describe('The part of an agent that made the call, such as `subagent:Explore`; null if unknown'),
  client: z.string().nullable().describe('The program that made the call, by its user agent'),
  conversation: z
    .string()
    .nullable()
    .describe('As in the header `x-weir-conversation`; null if neither the client nor a module named it'),
  parent_conversation: z
    .string()
    .nullable()
    .describe('The conversation whose agent made the call as a subagent; null for any other call'),
  end_user: z.string().nullable().describe('A pseudonym of the end user whom the call names'),
  tags: z.record(z.string(), z.string()).describe('The tags of the call, by name'),
  prompt: z
    .strictObject({ name: z.string(), version: z.int() })
    .nullable()
    .describe('The stored prompt that the call began with'),
  model: z.string().describe('The requested model'),
  model_used: z.string().nullable(),
  provider: z.string().nullable(),
  wire_format: z.string().describe("The client's wire format"),
  provider_wire_format: z
    .string()
    .nullable()
    .describe('The wire format of the request to the provider; null if none was sent'),
  streamed: z.boolean(),
  status: z.int(),
  ending: z.enum(['complete', 'aborted', 'failed']),
  error_code: z.string().nullable(),
  provider_error: z
    .string()
    .nullable()
    .describe('What the provider calls the error, such as `overloaded_error`'),
  error_message: z.string().nullable().describe("Weir's own explanation of the error"),
  provider_request_id: z.string().nullable().describe("The provider's own id of the request"),
  stop_reason: z.string().nullable().describe('Why the model stopped'),
  input_tokens: tokens.describe("Excludes tokens read from or written to the provider's cache"),
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  reasoning_tokens: tokens.describe('Part of the output'),
  units: z
    .strictObject({
      images: z.number().optional(),
      seconds: z.number().optional().describe('Of sound'),
      characters: z.number().optional().describe('Of a text that is spoken'),
      searches: z.number().optional().describe('Of a ranking'),
    })
    .nullable()
    .describe('What the call is billed for beside tokens, or in place of them'),
  cost_usd: usd.nullable().describe('In US dollars, as a decimal number; null if the price is unknown'),
  cost_estimated: z.boolean(),
  saved_usd: usd.describe('Savings by modules; negative if they cost more'),
  first_content_ms: z.number().nullable(),
  total_ms: z.number(),
  overhead_ms: z.number().describe('Time that the gateway added before the response began'),
  left_ms: z
    .number()
    .nullable()
    .describe('When the request was sent to the provider that answered; null if none was sent'),
  connected_ms: z.number().nullable().describe('When the connection to the provider was established'),
  head_ms: z.number().nullable().describe("When the provider's response began"),
  pipeline: z.string(),
  modules: z.array(
    z.strictObject({
      name: z.string(),
      effect: z.string().describe('The observed effect of the module'),
      ms: z.number().describe('Time in the module itself'),
      saved_usd: usd.describe('Savings by the module; negative if it cost more'),
      facts: z.record(z.string(), z.union([z.string(), z.number(), z.literal(true)])),
    }),
  ),
  tool_calls: toolCallsSchema.describe(
    'The tools that the answer calls, if the conversation has a name; empty otherwise',
  ),
  changes: z
    .array(
      z.strictObject({
        what: z
          .enum(['left-out', 'header'])
          .describe(
            'A field that the provider’s wire format does not support, or a header added to the response',
          ),
        name: z.string(),
      }),
    )
    .describe('Changes by the gateway itself, outside of modules'),
  attempts: z
    .array(
      z.strictObject({
        provider: z.string(),
        model: z.string(),
        asked_by: z
          .string()
          .nullable()
          .describe("The module that made the attempt; null for the client's own request"),
        ending: z.enum(['complete', 'aborted', 'failed']),
        error_code: z.string().nullable(),
        started_ms: z.number(),
        left_ms: z.number().nullable(),
        connected_ms: z.number().nullable(),
        head_ms: z.number().nullable(),
        first_content_ms: z.number().nullable(),
        ended_ms: z.number(),
        input_tokens: tokens,
        output_tokens: tokens,
        cost_usd: usd.nullable(),
      }),
    )
    .describe('All requests to providers, if the call took more than one; empty otherwise'),
  weight: z
    .number()
    .describe('How many calls the row stands for: 1, or more if only a share of the calls is stored'),
});

function describeAttempt(attempt: LoggedAttempt): z.output<typeof callSchema>['attempts'][number] {
  return {
    provider: attempt.provider,
    model: attempt.model,
    asked_by: attempt.askedBy,
    ending: attempt.ending,
    error_code: attempt.errorCode,
    started_ms: attempt.startedMs,
    left_ms: attempt.leftMs,
    connected_ms: attempt.connectedMs,
    head_ms: attempt.headMs,
    first_content_ms: attempt.contentMs,
    ended_ms: attempt.endedMs,
    input_tokens: attempt.inputTokens,
    output_tokens: attempt.outputTokens,
    cost_usd: attempt.costNanoUsd === null ? null : formatUsd(attempt.costNanoUsd),
  };
}

export function describeToolCalls(
  called: Readonly<Record<string, number>>,
): z.output<typeof toolCallsSchema> {
  return Object.entries(called).map(([name, count]) => ({ name, count }));
}

export function describeCall(call: LoggedCall): z.output<typeof callSchema> {
  return {
    id: call.id,
    created_at: timestamp(call.atMs),
    account_id: call.accountId,
    key_id: call.keyId,
    asked_by: call.askedBy,
    agent: call.agent,
    client: call.client,
    conversation: call.conversation,
    parent_conversation: call.parentConversation,
    end_user: call.endUser,
    tags: call.tags,
    prompt: promptOfTags(call.tags) ?? null,
    model: call.modelAsked,
    model_used: call.modelUsed,
    provider: call.provider,
    wire_format: call.wire,
    provider_wire_format: call.providerWire,
    streamed: call.streamed,
    status: call.status,
    ending: call.ending,
    error_code: call.errorCode,
    provider_error: call.providerError,
    error_message: call.errorMessage,
    provider_request_id: call.providerRequestId,
    stop_reason: call.stopReason,
    input_tokens: call.inputTokens,
    output_tokens: call.outputTokens,
    cache_read_tokens: call.cacheReadTokens,
    cache_write_tokens: call.cacheWriteTokens,
    reasoning_tokens: call.reasoningTokens,
    units: call.units,
    cost_usd: call.costNanoUsd === null ? null : formatUsd(call.costNanoUsd),
    cost_estimated: call.costEstimated,
    saved_usd: formatUsd(call.savedNanoUsd),
    first_content_ms: call.contentMs,
    total_ms: call.totalMs,
    overhead_ms: call.overheadMs,
    left_ms: call.leftMs,
    connected_ms: call.connectedMs,
    head_ms: call.headMs,
    pipeline: call.pipeline,
    modules: call.steps.map(({ module, effect, ms, facts, savedNanoUsd }) => ({
      name: module,
      effect,
      ms,
      saved_usd: formatUsd(savedNanoUsd ?? 0),
      facts,
    })),
    tool_calls: describeToolCalls(call.turn?.called ?? {}),
    changes: [...call.changes],
    attempts: call.attempts.map(describeAttempt),
    weight: call.weight,
  };
}
