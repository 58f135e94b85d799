import type { LoggedCall } from '../../kernel/ports/request-log.ts';

/** A call as one line of JSON for another system: flat, with the names of the API. */
export function toSinkLine(call: LoggedCall): string {
  return JSON.stringify({
    id: call.id,
    created_at: new Date(call.atMs).toISOString(),
    account_id: call.accountId,
    key_id: call.keyId,
    asked_by: call.askedBy,
    agent: call.agent,
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
    cost_nano_usd: call.costNanoUsd,
    cost_estimated: call.costEstimated,
    saved_nano_usd: call.savedNanoUsd,
    first_content_ms: call.contentMs,
    total_ms: call.totalMs,
    overhead_ms: call.overheadMs,
    pipeline: call.pipeline,
    modules: call.steps.map(({ module, effect }) => `${module}:${effect}`),
    attempts: call.attempts.length,
  });
}
