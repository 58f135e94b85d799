import { z } from 'zod';
import {
  readAttempts,
  readChanges,
  readSteps,
  readTurn,
  readUnits,
} from '../../kernel/ports/logged-call-parts.ts';
import type { LoggedCall } from '../../kernel/ports/request-log.ts';

const text = z.string().nullable();
const number = z.number().nullable();

/** The columns of a call, with its time in milliseconds. */
export const callRow = z.object({
  id: z.string(),
  at_ms: z.number(),
  account_id: z.string(),
  key_id: text,
  asked_by: text,
  agent: text,
  client: text,
  conversation: text,
  parent_conversation: text,
  end_user: text,
  tags: z.record(z.string(), z.string()),
  model: z.string(),
  model_used: text,
  provider: text,
  wire_format: z.string(),
  provider_wire_format: text,
  streamed: z.boolean(),
  status: z.number(),
  ending: z.enum(['complete', 'aborted', 'failed']),
  error_code: text,
  provider_error: text,
  input_tokens: number,
  output_tokens: number,
  cache_read_tokens: number,
  cache_write_tokens: number,
  reasoning_tokens: number,
  cost_nano_usd: number,
  cost_estimated: z.boolean(),
  saved_nano_usd: z.number(),
  first_content_ms: number,
  total_ms: z.number(),
  overhead_ms: z.number(),
  pipeline: z.string(),
  modules: z.array(z.string()),
  details: z.string(),
});

export const callColumns = Object.keys(callRow.shape)
  .map((name) => (name === 'at_ms' ? 'toUnixTimestamp64Milli(created_at) AS at_ms' : name))
  .join(', ');

const detailsSchema = z.object({
  ...{ leftMs: number, connectedMs: number, headMs: number },
  errorMessage: text.default(null),
  providerRequestId: text.default(null),
  stopReason: text.default(null),
  turn: z.unknown().transform(readTurn),
  units: z.unknown().default(null).transform(readUnits),
  steps: z.unknown().transform(readSteps),
  changes: z.unknown().transform(readChanges),
  attempts: z.unknown().transform(readAttempts),
});

export function callFromClickHouse(row: z.output<typeof callRow>): LoggedCall {
  return {
    id: row.id,
    atMs: row.at_ms,
    accountId: row.account_id,
    keyId: row.key_id,
    askedBy: row.asked_by,
    agent: row.agent,
    client: row.client,
    conversation: row.conversation,
    parentConversation: row.parent_conversation,
    endUser: row.end_user,
    tags: row.tags,
    modelAsked: row.model,
    modelUsed: row.model_used,
    provider: row.provider,
    wire: row.wire_format,
    providerWire: row.provider_wire_format,
    streamed: row.streamed,
    status: row.status,
    ending: row.ending,
    errorCode: row.error_code,
    providerError: row.provider_error,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    reasoningTokens: row.reasoning_tokens,
    costNanoUsd: row.cost_nano_usd,
    costEstimated: row.cost_estimated,
    savedNanoUsd: row.saved_nano_usd,
    contentMs: row.first_content_ms,
    totalMs: row.total_ms,
    overheadMs: row.overhead_ms,
    pipeline: row.pipeline,
    weight: 1,
    ...readDetails(row),
  };
}

type Details = Pick<LoggedCall, keyof z.output<typeof detailsSchema>>;

/** Calls that an earlier version sent have no details, but the effects of their modules. */
function readDetails({ details, modules }: z.output<typeof callRow>): Details {
  const parsed = details === '' ? undefined : detailsSchema.safeParse(JSON.parse(details)).data;
  if (parsed !== undefined) return parsed;
  const steps = readSteps(modules.map((named) => ({ ...splitModule(named), ms: 0, facts: {} })));
  const unknown = { leftMs: null, connectedMs: null, headMs: null };
  const untold = { errorMessage: null, providerRequestId: null, stopReason: null, turn: null, units: null };
  return { ...unknown, ...untold, steps, changes: [], attempts: [] };
}

/** `exact-cache:answered`. */
export function splitModule(named: string): { readonly module: string; readonly effect: string } {
  const at = named.lastIndexOf(':');
  return { module: named.slice(0, at), effect: named.slice(at + 1) };
}
