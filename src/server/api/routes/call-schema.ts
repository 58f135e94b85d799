import { z } from 'zod';
import { formatUsd } from '../../../kernel/money.ts';
import type { LoggedCall } from '../../../kernel/ports/request-log.ts';
import { timestamp } from '../text.ts';

const tokens = z.int().nullable();
const usd = z.string().describe('In dollars, as a decimal number');

/** What a call of the request log looks like from outside. */
export const callSchema = z.strictObject({
  id: z.string().describe('The same as in the header `x-request-id` of the answer'),
  created_at: z.iso.datetime().describe('When the call came'),
  account_id: z.string(),
  key_id: z.string().nullable(),
  asked_by: z.string().nullable().describe('The module whose own question it was; null where a client asked'),
  model: z.string().describe('As it was asked for'),
  model_used: z.string().nullable(),
  provider: z.string().nullable(),
  wire_format: z.string().describe('What the client spoke'),
  provider_wire_format: z.string().nullable().describe('What the provider was asked in, if it was'),
  streamed: z.boolean(),
  status: z.int(),
  ending: z.enum(['complete', 'aborted', 'failed']),
  error_code: z.string().nullable(),
  input_tokens: tokens.describe('Without those that a cache of the provider was read or written for'),
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  reasoning_tokens: tokens.describe('Part of the output'),
  cost_usd: usd.nullable().describe('In dollars, as a decimal number; null where nobody knows the price'),
  cost_estimated: z.boolean(),
  saved_usd: usd.describe('What modules saved; less than 0 where they cost more'),
  first_content_ms: z.number().nullable(),
  total_ms: z.number(),
  overhead_ms: z.number().describe('What the gateway itself added before the answer began'),
  left_ms: z
    .number()
    .nullable()
    .describe('When the call left for the provider that answered; null where none was asked'),
  connected_ms: z.number().nullable().describe('When there was a connection to it'),
  head_ms: z.number().nullable().describe('When its answer began to come in'),
  pipeline: z.string(),
  modules: z.array(
    z.strictObject({
      name: z.string(),
      effect: z.string().describe('What the module was seen to do'),
      ms: z.number().describe('Time in the module itself'),
      saved_usd: usd.describe('What it saved; less than 0 where it cost more'),
      facts: z.record(z.string(), z.union([z.string(), z.number(), z.literal(true)])),
    }),
  ),
  changes: z
    .array(
      z.strictObject({
        what: z
          .enum(['left-out', 'header'])
          .describe('A field that the provider’s format has no place for, or a header that the answer got'),
        name: z.string(),
      }),
    )
    .describe('What the gateway itself did, besides its modules'),
});

export function describeCall(call: LoggedCall): z.output<typeof callSchema> {
  return {
    id: call.id,
    created_at: timestamp(call.atMs),
    account_id: call.accountId,
    key_id: call.keyId,
    asked_by: call.askedBy,
    model: call.modelAsked,
    model_used: call.modelUsed,
    provider: call.provider,
    wire_format: call.wire,
    provider_wire_format: call.providerWire,
    streamed: call.streamed,
    status: call.status,
    ending: call.ending,
    error_code: call.errorCode,
    input_tokens: call.inputTokens,
    output_tokens: call.outputTokens,
    cache_read_tokens: call.cacheReadTokens,
    cache_write_tokens: call.cacheWriteTokens,
    reasoning_tokens: call.reasoningTokens,
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
    changes: [...call.changes],
  };
}
