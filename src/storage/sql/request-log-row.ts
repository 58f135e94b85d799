import { isJsonObject } from '../../kernel/json.ts';
import type { LoggedCall, LoggedChange, LoggedStep } from '../../kernel/ports/request-log.ts';
import type { Effect, Facts } from '../../kernel/trace.ts';
import type { KindNames } from './request-kind.ts';
import type { Tables } from './tables.ts';

type Row = Tables['requests'];
type ColumnName = keyof Row;

interface Column {
  readonly name: ColumnName;
  readonly kind: 'text' | 'integer';
}

/** Every column, in the order of the values below. */
export const columns: readonly Column[] = [
  text('id'),
  text('kind'),
  integer('at_ms'),
  text('account_id'),
  text('key_id'),
  text('asked_by'),
  text('model_asked'),
  text('model_used'),
  text('provider'),
  text('wire'),
  text('provider_wire'),
  integer('streamed'),
  integer('status'),
  text('ending'),
  text('error_code'),
  integer('input_tokens'),
  integer('output_tokens'),
  integer('cache_read_tokens'),
  integer('cache_write_tokens'),
  integer('reasoning_tokens'),
  integer('cost_nano_usd'),
  integer('cost_estimated'),
  integer('saved_nano_usd'),
  integer('content_us'),
  integer('total_us'),
  integer('overhead_us'),
  integer('left_us'),
  integer('connected_us'),
  integer('head_us'),
  text('pipeline'),
  text('steps'),
  text('changes'),
];

export const columnNames: readonly ColumnName[] = columns.map(({ name }) => name);

/** What is added up of calls: as the tables call it, and as the port does. */
export const amountColumns = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cache_read_tokens', 'cacheReadTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['cost_nano_usd', 'costNanoUsd'],
  ['saved_nano_usd', 'savedNanoUsd'],
] as const;

/** As JSON, a list of values for each call, in the order of the columns; databases keep lists as the text they are. */
export function toLists(calls: readonly LoggedCall[], kinds: KindNames): string {
  return JSON.stringify(calls.map((call) => valuesOf(call, kinds.of(call))));
}

/** Several such texts as one. */
export function joinedLists(texts: readonly string[]): string {
  const [only = '[]'] = texts;
  return texts.length <= 1 ? only : `[${texts.map((lists) => lists.slice(1, -1)).join(',')}]`;
}

/** Whether a text is one of these, and whole. */
export function areLists(text: string): boolean {
  try {
    const lists: unknown = JSON.parse(text);
    return Array.isArray(lists) && lists.length > 0 && lists.every(isRow);
  } catch {
    return false;
  }
}

function isRow(list: unknown): boolean {
  return Array.isArray(list) && list.length === columns.length;
}

/** Written out: a function for each value would cost as much as the rest of the call's row. */
function valuesOf(call: LoggedCall, kind: string): readonly unknown[] {
  return [
    call.id,
    kind,
    call.atMs,
    call.accountId,
    call.keyId,
    call.askedBy,
    call.modelAsked,
    call.modelUsed,
    call.provider,
    call.wire,
    call.providerWire,
    Number(call.streamed),
    call.status,
    call.ending,
    call.errorCode,
    call.inputTokens,
    call.outputTokens,
    call.cacheReadTokens,
    call.cacheWriteTokens,
    call.reasoningTokens,
    call.costNanoUsd,
    Number(call.costEstimated),
    call.savedNanoUsd,
    call.contentMs === null ? null : toUs(call.contentMs),
    toUs(call.totalMs),
    toUs(call.overheadMs),
    call.leftMs === null ? null : toUs(call.leftMs),
    call.connectedMs === null ? null : toUs(call.connectedMs),
    call.headMs === null ? null : toUs(call.headMs),
    call.pipeline,
    call.steps,
    call.changes.length === 0 ? null : call.changes,
  ];
}

export function toCall(row: Row): LoggedCall {
  return {
    id: row.id,
    atMs: row.at_ms,
    accountId: row.account_id,
    keyId: row.key_id,
    askedBy: row.asked_by,
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
    contentMs: toMs(row.content_us),
    totalMs: row.total_us / 1000,
    overheadMs: row.overhead_us / 1000,
    leftMs: toMs(row.left_us),
    connectedMs: toMs(row.connected_us),
    headMs: toMs(row.head_us),
    pipeline: row.pipeline,
    steps: toSteps(row.steps),
    changes: row.changes === null ? [] : toChanges(row.changes),
  };
}

function text(name: ColumnName): Column {
  return { name, kind: 'text' };
}

function integer(name: ColumnName): Column {
  return { name, kind: 'integer' };
}

function toUs(ms: number): number {
  return Math.round(ms * 1000);
}

function toMs(us: number | null): number | null {
  return us === null ? null : us / 1000;
}

const endings: Readonly<Record<LoggedCall['ending'], true>> = { complete: true, aborted: true, failed: true };

function isEnding(name: string): name is LoggedCall['ending'] {
  return Object.hasOwn(endings, name);
}

/** What a newer version may have written, and this one can't read, is left out. */
export function toSteps(json: string): readonly LoggedStep[] {
  return stepsIn(JSON.parse(json));
}

export function stepsIn(list: unknown): readonly LoggedStep[] {
  return Array.isArray(list) ? list.filter(isStep) : [];
}

function isStep(value: unknown): value is LoggedStep {
  return (
    isJsonObject(value) &&
    typeof value.module === 'string' &&
    typeof value.effect === 'string' &&
    isEffect(value.effect) &&
    typeof value.ms === 'number' &&
    (value.savedNanoUsd === undefined || typeof value.savedNanoUsd === 'number') &&
    isFacts(value.facts)
  );
}

function toChanges(json: string): readonly LoggedChange[] {
  const changes: unknown = JSON.parse(json);
  return Array.isArray(changes) ? changes.filter(isChange) : [];
}

function isChange(value: unknown): value is LoggedChange {
  return (
    isJsonObject(value) &&
    (value.what === 'left-out' || value.what === 'header') &&
    typeof value.name === 'string'
  );
}

const effects: Readonly<Record<Effect, true>> = {
  passed: true,
  'changed-request': true,
  answered: true,
  'changed-reply': true,
  'changed-both': true,
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
