import { isJsonObject } from '../../kernel/json.ts';
import type { LoggedCall, LoggedStep } from '../../kernel/request-log.ts';
import type { Effect, Facts } from '../../kernel/trace.ts';
import type { Tables } from './tables.ts';

type Row = Tables['requests'];
type ColumnName = keyof Row;

interface Column {
  readonly name: ColumnName;
  readonly kind: 'text' | 'integer';
  read(call: LoggedCall): unknown;
}

/** Every column, with what of a call goes there. */
export const columns: readonly Column[] = [
  text('id', (call) => call.id),
  integer('at_ms', (call) => call.atMs),
  text('account_id', (call) => call.accountId),
  text('key_id', (call) => call.keyId),
  text('model_asked', (call) => call.modelAsked),
  text('model_used', (call) => call.modelUsed),
  text('provider', (call) => call.provider),
  text('wire', (call) => call.wire),
  text('provider_wire', (call) => call.providerWire),
  integer('streamed', (call) => Number(call.streamed)),
  integer('status', (call) => call.status),
  text('ending', (call) => call.ending),
  text('error_code', (call) => call.errorCode),
  integer('input_tokens', (call) => call.inputTokens),
  integer('output_tokens', (call) => call.outputTokens),
  integer('cache_read_tokens', (call) => call.cacheReadTokens),
  integer('cache_write_tokens', (call) => call.cacheWriteTokens),
  integer('reasoning_tokens', (call) => call.reasoningTokens),
  integer('cost_nano_usd', (call) => call.costNanoUsd),
  integer('cost_estimated', (call) => Number(call.costEstimated)),
  integer('saved_nano_usd', (call) => call.savedNanoUsd),
  integer('content_us', (call) => (call.contentMs === null ? null : toUs(call.contentMs))),
  integer('total_us', (call) => toUs(call.totalMs)),
  integer('overhead_us', (call) => toUs(call.overheadMs)),
  text('pipeline', (call) => call.pipeline),
  text('steps', (call) => call.steps),
];

export const columnNames: readonly ColumnName[] = columns.map(({ name }) => name);

/** As JSON, a list of values for each call, in the order of the columns. Lists in it become text where they are stored. */
export function toLists(calls: readonly LoggedCall[]): string {
  return JSON.stringify(calls.map((call) => columns.map((column) => column.read(call))));
}

export function toCall(row: Row): LoggedCall {
  return {
    id: row.id,
    atMs: row.at_ms,
    accountId: row.account_id,
    keyId: row.key_id,
    modelAsked: row.model_asked,
    modelUsed: row.model_used,
    provider: row.provider,
    wire: row.wire,
    providerWire: row.provider_wire,
    streamed: row.streamed === 1,
    status: row.status,
    ending: isEnding(row.ending) ? row.ending : 'failed',
    errorCode: row.error_code,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    reasoningTokens: row.reasoning_tokens,
    costNanoUsd: row.cost_nano_usd,
    costEstimated: row.cost_estimated === 1,
    savedNanoUsd: row.saved_nano_usd,
    contentMs: row.content_us === null ? null : row.content_us / 1000,
    totalMs: row.total_us / 1000,
    overheadMs: row.overhead_us / 1000,
    pipeline: row.pipeline,
    steps: toSteps(row.steps),
  };
}

function text(name: ColumnName, read: Column['read']): Column {
  return { name, kind: 'text', read };
}

function integer(name: ColumnName, read: Column['read']): Column {
  return { name, kind: 'integer', read };
}

function toUs(ms: number): number {
  return Math.round(ms * 1000);
}

const endings: Readonly<Record<LoggedCall['ending'], true>> = { complete: true, aborted: true, failed: true };

function isEnding(name: string): name is LoggedCall['ending'] {
  return Object.hasOwn(endings, name);
}

/** What a newer version may have written, and this one can't read, is left out. */
function toSteps(json: string): readonly LoggedStep[] {
  const steps: unknown = JSON.parse(json);
  return Array.isArray(steps) ? steps.filter(isStep) : [];
}

function isStep(value: unknown): value is LoggedStep {
  return (
    isJsonObject(value) &&
    typeof value.module === 'string' &&
    typeof value.effect === 'string' &&
    isEffect(value.effect) &&
    typeof value.ms === 'number' &&
    isFacts(value.facts)
  );
}

const effects: Readonly<Record<Effect, true>> = {
  passed: true,
  'changed-request': true,
  answered: true,
  'changed-reply': true,
  rejected: true,
  broken: true,
};

function isEffect(name: string): name is Effect {
  return Object.hasOwn(effects, name);
}

function isFacts(value: unknown): value is Facts {
  return (
    isJsonObject(value) &&
    Object.values(value).every(
      (fact) => typeof fact === 'string' || typeof fact === 'number' || fact === true,
    )
  );
}
