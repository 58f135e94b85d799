import { hasTags } from '../kernel/tags.ts';
import type { Step } from '../kernel/trace.ts';
import { formatHundredths } from '../lib/format-hundredths.ts';
import type { EndedCall } from './ended-call.ts';

/** Additional fields of a call's log line. */
export interface CallLineFields {
  readonly error: string | undefined;
  /** Whether usage or cost is an estimate. */
  readonly estimated: boolean;
  /** The client's distributed trace. */
  readonly traceId: string | undefined;
  /** The id that the client gave its request, cleaned. */
  readonly clientRequestId: string | undefined;
  readonly isOverWebSocket: boolean;
}

/** The log line of a call, concatenated by hand: it is the only one on the hot path, and a serializer costs four times as much. */
export function formatCallLine(
  call: EndedCall,
  { error, estimated, traceId, clientRequestId, isOverWebSocket }: CallLineFields,
  time: string,
): string {
  const { usage } = call;
  let line = `{"level":"info","time":"${time}","msg":"call","id":"${call.id}","account":${JSON.stringify(call.accountId)},"wire":"${call.wire}","provider":"${call.provider}","model":${JSON.stringify(call.modelUsed)},"status":${call.status},"ending":"${call.ending}","ms":${formatHundredths(call.totalMs)},"overheadMs":${formatHundredths(call.overheadMs)}`;
  if (call.keyId !== undefined) line += `,"key":${JSON.stringify(call.keyId)}`;
  if (call.contentMs !== undefined) line += `,"contentMs":${formatHundredths(call.contentMs)}`;
  if (usage.input_tokens !== undefined) line += `,"input":${usage.input_tokens}`;
  if (usage.output_tokens !== undefined) line += `,"output":${usage.output_tokens}`;
  if (usage.cache_read_input_tokens !== undefined) line += `,"cacheRead":${usage.cache_read_input_tokens}`;
  if (usage.cache_creation_input_tokens !== undefined)
    line += `,"cacheWrite":${usage.cache_creation_input_tokens}`;
  if (call.costNanoUsd !== undefined) line += `,"costNanoUsd":${call.costNanoUsd}`;
  if (estimated) line += ',"estimated":true';
  if (call.stopReason !== undefined) line += `,"stop":${JSON.stringify(call.stopReason)}`;
  if (call.tags !== undefined && hasTags(call.tags)) line += `,"tags":${JSON.stringify(call.tags)}`;
  if (traceId !== undefined) line += `,"trace_id":"${traceId}"`;
  if (clientRequestId !== undefined) line += `,"client_request_id":${JSON.stringify(clientRequestId)}`;
  if (isOverWebSocket) line += ',"transport":"websocket"';
  if (error !== undefined) line += `,"error":${JSON.stringify(error)}`;
  if (call.steps.length > 0) line += `,"modules":${JSON.stringify(call.steps.map(stepFields))}`;
  return `${line}}\n`;
}

function stepFields({ module, effect, ownMs, attributes }: Step): object {
  return { module, effect, ms: Math.round(ownMs * 100) / 100, ...attributes };
}
