import {
  isEnding,
  readAttempts,
  readChanges,
  readSteps,
  readTags,
  readTurn,
  readUnits,
} from '../../kernel/ports/logged-call-parts.ts';
import type { LoggedCall } from '../../kernel/ports/request-log.ts';
import { hasTags, noTags } from '../../kernel/tags.ts';
import type { RequestKindHasher } from './request-kind.ts';
import type { Tables } from './tables.ts';

type RequestRow = Tables['requests'];
type ColumnName = keyof RequestRow;

interface RequestColumn {
  readonly name: ColumnName;
  readonly kind: 'text' | 'integer' | 'real';
}

/** All columns, in the order of the values below. */
export const requestColumns: readonly RequestColumn[] = [
  textColumn('id'),
  textColumn('kind'),
  integerColumn('at_ms'),
  textColumn('account_id'),
  textColumn('key_id'),
  textColumn('asked_by'),
  textColumn('model_asked'),
  textColumn('model_used'),
  textColumn('provider'),
  textColumn('wire'),
  textColumn('provider_wire'),
  integerColumn('streamed'),
  integerColumn('status'),
  textColumn('ending'),
  textColumn('error_code'),
  integerColumn('input_tokens'),
  integerColumn('output_tokens'),
  integerColumn('cache_read_tokens'),
  integerColumn('cache_write_tokens'),
  integerColumn('reasoning_tokens'),
  integerColumn('cost_nano_usd'),
  integerColumn('cost_estimated'),
  integerColumn('saved_nano_usd'),
  integerColumn('content_us'),
  integerColumn('total_us'),
  integerColumn('overhead_us'),
  integerColumn('left_us'),
  integerColumn('connected_us'),
  integerColumn('head_us'),
  textColumn('pipeline'),
  textColumn('steps'),
  textColumn('changes'),
  textColumn('attempts'),
  textColumn('agent'),
  { name: 'weight', kind: 'real' },
  textColumn('client'),
  textColumn('conversation'),
  textColumn('end_user'),
  textColumn('provider_error'),
  textColumn('error_message'),
  textColumn('provider_request_id'),
  textColumn('stop_reason'),
  textColumn('parent_conversation'),
  textColumn('turn'),
  textColumn('tags'),
  textColumn('units'),
];

export const requestColumnNames: readonly ColumnName[] = requestColumns.map(({ name }) => name);

/** The summed figures of calls: column name and property name. */
export const amountColumns = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cache_read_tokens', 'cacheReadTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['cost_nano_usd', 'costNanoUsd'],
  ['saved_nano_usd', 'savedNanoUsd'],
] as const;

/** A JSON array of values for each call, in the order of the columns; databases store nested arrays as text. */
export function packCalls(calls: readonly LoggedCall[], kinds: RequestKindHasher): string {
  return JSON.stringify(calls.map((call) => toRowValues(call, kinds.hash(call))));
}

/** Joins several packed texts. */
export function joinPacks(texts: readonly string[]): string {
  const [only = '[]'] = texts;
  return texts.length <= 1 ? only : `[${texts.map((lists) => lists.slice(1, -1)).join(',')}]`;
}

/** A complete list of packed calls, also one of the previous release; undefined for any other text. */
export function readPackedCalls(text: string): string | undefined {
  const lists = parsePack(text);
  if (lists === undefined || lists.length === 0) return undefined;
  const missing = missingValues(lists);
  if (missing === 0) return text;
  if (missing === undefined || missing > columnsSinceLastRelease) return undefined;
  const nulls = Array<null>(missing).fill(null);
  return JSON.stringify(lists.map((list) => [...list, ...nulls]));
}

/** The last release had none of the columns from `attempts` on. */
const columnsSinceLastRelease =
  requestColumns.length - requestColumns.findIndex(({ name }) => name === 'attempts');

/** The values of each call in a complete list. */
export function parseRows(lists: string): readonly (readonly unknown[])[] {
  const rows = parsePack(lists);
  if (rows === undefined) throw new Error('expected an array of rows');
  return rows;
}

const weightIndex = requestColumns.findIndex(({ name }) => name === 'weight');

/** False if the call counts in sums only. */
export function isStoredRow(row: readonly unknown[]): boolean {
  return row[weightIndex] !== 0;
}

/** How many columns the values lack; undefined if lists have different lengths. */
function missingValues(lists: readonly (readonly unknown[])[]): number | undefined {
  const [first = []] = lists;
  const missing = requestColumns.length - first.length;
  return missing >= 0 && lists.every((list) => list.length === first.length) ? missing : undefined;
}

function parsePack(text: string): readonly (readonly unknown[])[] | undefined {
  try {
    const lists: unknown = JSON.parse(text);
    return Array.isArray(lists) && lists.every(Array.isArray) ? lists : undefined;
  } catch {
    return undefined;
  }
}

/** Written out, because a function per value would double the cost of a row. */
function toRowValues(call: LoggedCall, kind: string): readonly unknown[] {
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
    call.attempts.length === 0 ? null : call.attempts,
    call.agent,
    call.weight === 1 ? null : call.weight,
    call.client,
    call.conversation,
    call.endUser,
    call.providerError,
    call.errorMessage,
    call.providerRequestId,
    call.stopReason,
    call.parentConversation,
    call.turn,
    // As text: PostgreSQL would reorder an object.
    hasTags(call.tags) ? JSON.stringify(call.tags) : null,
    call.units,
  ];
}

export function callFromRow(row: RequestRow): LoggedCall {
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
    steps: readSteps(JSON.parse(row.steps)),
    changes: row.changes === null ? [] : readChanges(JSON.parse(row.changes)),
    attempts: row.attempts === null ? [] : readAttempts(JSON.parse(row.attempts)),
    agent: row.agent,
    weight: row.weight ?? 1,
    client: row.client,
    conversation: row.conversation,
    endUser: row.end_user,
    providerError: row.provider_error,
    errorMessage: row.error_message,
    providerRequestId: row.provider_request_id,
    stopReason: row.stop_reason,
    parentConversation: row.parent_conversation,
    turn: row.turn === null ? null : readTurn(JSON.parse(row.turn)),
    tags: row.tags === null ? noTags : readTags(JSON.parse(row.tags)),
    units: row.units === null ? null : readUnits(JSON.parse(row.units)),
  };
}

function textColumn(name: ColumnName): RequestColumn {
  return { name, kind: 'text' };
}

function integerColumn(name: ColumnName): RequestColumn {
  return { name, kind: 'integer' };
}

function toUs(ms: number): number {
  return Math.round(ms * 1000);
}

function toMs(us: number | null): number | null {
  return us === null ? null : us / 1000;
}
