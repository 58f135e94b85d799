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
    client: call.client,
    conversation: call.conversation,
    parent_conversation: call.parentConversation,
    end_user: call.endUser,
    tags: call.tags,
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
    input_tokens: call.inputTokens,
    output_tokens: call.outputTokens,
    cache_read_tokens: call.cacheReadTokens,
    cache_write_tokens: call.cacheWriteTokens,
    reasoning_tokens: call.reasoningTokens,
    cost_nano_usd: call.costNanoUsd,
    cost_estimated: call.costEstimated,
    saved_nano_usd: call.savedNanoUsd,
    first_content_ms: roundToUs(call.contentMs),
    total_ms: roundToUs(call.totalMs),
    overhead_ms: roundToUs(call.overheadMs),
    pipeline: call.pipeline,
    modules: call.steps.map(({ module, effect }) => `${module}:${effect}`),
    module_us: call.steps.map(({ ms }) => Math.round(ms * 1000)),
    module_saved_nano_usd: call.steps.map(({ savedNanoUsd = 0 }) => savedNanoUsd),
    attempts: call.attempts.length,
    details: JSON.stringify(detailsOf(call)),
  });
}

/** What a call has beside its flat fields, for a reader that shows it again. */
function detailsOf(call: LoggedCall) {
  const { leftMs, connectedMs, headMs, steps, changes, attempts } = call;
  const { errorMessage, providerRequestId, stopReason, turn, units } = call;
  const times = { leftMs: roundToUs(leftMs), connectedMs: roundToUs(connectedMs), headMs: roundToUs(headMs) };
  return { ...times, errorMessage, providerRequestId, stopReason, turn, units, steps, changes, attempts };
}

/** As precise as the request log. */
function roundToUs(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 1000) / 1000;
}
