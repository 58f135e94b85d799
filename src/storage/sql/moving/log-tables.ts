import { sql } from 'kysely';
import { readSteps } from '../../../kernel/ports/logged-call-parts.ts';
import type { MovedRow } from '../../../kernel/ports/moving.ts';
import { isRequestId, timeOfId } from '../../../kernel/request-id.ts';
import { RequestKindHasher } from '../request-kind.ts';
import { requestColumns } from '../request-log-row.ts';
import {
  figure,
  flag,
  json,
  type MovedColumn,
  optionalFigure,
  optionalReal,
  optionalText,
  signedFigure,
  text,
  time,
} from './columns.ts';
import type { ImportContext, MovedTable, StoredRow } from './moved-table.ts';
import { columnsOfTable, pick, plainTable, typesOf } from './plain-table.ts';
import { tokenFigures } from './usage-tables.ts';

const jsonCharactersMax = 256 * 1024;
/** How far clocks may differ, and how long after its id a call is dated. */
const clockMs = 86_400_000;

const sqlTypes = { text: 'text', integer: 'bigint', real: 'double precision' } as const;

const special: Readonly<Record<string, MovedColumn>> = {
  id: text(40),
  key_id: optionalText(100),
  asked_by: optionalText(200),
  model_used: optionalText(),
  provider: optionalText(200),
  provider_wire: optionalText(100),
  streamed: flag,
  cost_estimated: flag,
  saved_nano_usd: signedFigure,
  error_code: optionalText(),
  content_us: optionalFigure,
  left_us: optionalFigure,
  connected_us: optionalFigure,
  head_us: optionalFigure,
  cost_nano_usd: optionalFigure,
  reasoning_tokens: optionalFigure,
  ...Object.fromEntries(Object.keys(tokenFigures).map((name) => [name, optionalFigure])),
  pipeline: text(16_384),
  steps: json(jsonCharactersMax),
  weight: optionalReal,
  ...Object.fromEntries(
    ['changes', 'attempts', 'turn', 'tags', 'units'].map((name) => [name, json(jsonCharactersMax, true)]),
  ),
  ...Object.fromEntries(
    [
      ...['agent', 'client', 'conversation', 'end_user', 'provider_error', 'error_message'],
      ...['provider_request_id', 'stop_reason', 'parent_conversation'],
    ].map((name) => [name, optionalText()]),
  ),
};

/** All but the owner and the kind, which is named after the owner. */
const requestFileColumns: Readonly<Record<string, MovedColumn>> = Object.fromEntries(
  requestColumns
    .filter(({ name }) => name !== 'account_id' && name !== 'kind')
    .map(({ name, kind }) => [name, special[name] ?? (kind === 'text' ? text() : figure)]),
);
const requestFileNames = Object.keys(requestFileColumns);

const kindColumns = [
  ...['key_id', 'asked_by', 'model_asked', 'model_used', 'provider', 'status', 'ending', 'error_code'],
  ...['client', 'provider_error'],
];

const requests: MovedTable = {
  ...plainTable({ table: 'requests', key: ['id'], columns: requestFileColumns }),
  written: Object.fromEntries(requestColumns.map(({ name, kind }) => [name, sqlTypes[kind]])),
  primaryKey: ['id'],
  isBulk: true,
  faultOf: ({ id, at_ms }, { nowMs }) => {
    if (typeof id !== 'string' || !isRequestId(id)) return 'its id is not one of a call';
    const atMs = Number(at_ms);
    if (Math.abs(timeOfId(id) - atMs) > clockMs) return 'its id and its time differ';
    return atMs > nowMs + clockMs ? 'it is in the future' : undefined;
  },
  toStored: (row, context) => {
    const steps = readSteps(JSON.parse(String(row.steps)));
    const attributes = {
      ...pick(row, kindColumns),
      steps: steps.map(({ module, effect }) => `${module}:${effect}`).join(','),
    };
    return { ...row, account_id: context.owner.accountId, kind: context.stageKind(attributes) };
  },
  toMoved: (row) => pick(row, requestFileNames),
};

const kindFileColumns: Readonly<Record<string, MovedColumn>> = {
  ...Object.fromEntries(kindColumns.map((name) => [name, requestFileColumns[name] ?? text()])),
  steps: text(16_384),
};

/** Stored with the first row of its kind. */
export const requestKinds = {
  table: 'request_kinds',
  written: { kind: 'text', account_id: 'text', ...typesOf(kindFileColumns) },
  primaryKey: ['kind'],
} as const;

/** The row of a kind, named after its owner: no other account can have it. */
export function kindRowOf(attributes: MovedRow, accountId: string, hasher: RequestKindHasher): StoredRow {
  const textIn = (name: string) => (attributes[name] === null ? null : String(attributes[name]));
  const kind = hasher.hash({
    accountId,
    keyId: textIn('key_id'),
    askedBy: textIn('asked_by'),
    modelAsked: String(attributes.model_asked),
    modelUsed: textIn('model_used'),
    provider: textIn('provider'),
    status: Number(attributes.status),
    ending: String(attributes.ending),
    errorCode: textIn('error_code'),
    client: textIn('client'),
    providerError: textIn('provider_error'),
    steps: stepsOf(String(attributes.steps)),
  });
  return { kind, account_id: accountId, ...attributes };
}

export { RequestKindHasher };

function stepsOf(names: string) {
  return names === '' ? [] : names.split(',').map(stepOf);
}

/** The hash takes names and effects as they are. */
function stepOf(name: string) {
  const at = name.lastIndexOf(':');
  const effect = name.slice(at + 1);
  return { module: name.slice(0, Math.max(at, 0)), effect } as Parameters<
    RequestKindHasher['hash']
  >[0]['steps'][number];
}

const sums = {
  requests: figure,
  ...tokenFigures,
  cost_nano_usd: figure,
  saved_nano_usd: signedFigure,
} as const;

/** Sums by kind. In files they have its attributes, because its name is the account's. */
function kindSums(table: string, order: readonly string[]): MovedTable {
  const plain = plainTable({ table, key: order, columns: { at_ms: time, ...sums } });
  const figures = ['at_ms', ...Object.keys(sums)];
  const columns = { at_ms: time, ...kindFileColumns, ...sums };
  const attributes = Object.keys(kindFileColumns);
  return {
    ...plain,
    from: sql`${sql.table(table)} as t inner join request_kinds as k on k.kind = t.kind`,
    read: sql`${columnsOfTable(['kind', ...figures])}, ${sql.join(attributes.map((name) => sql.ref(`k.${name}`)))}`,
    columns,
    key: undefined,
    written: { account_id: 'text', kind: 'text', at_ms: 'bigint', ...typesOf(sums) },
    primaryKey: ['account_id', 'kind', 'at_ms'],
    isBulk: true,
    isSummed: true,
    toMoved: (row) => pick(row, Object.keys(columns)),
    toStored: (row, context: ImportContext) => ({
      account_id: context.owner.accountId,
      kind: context.stageKind(pick(row, attributes)),
      ...pick(row, figures),
    }),
    nameOf: (row) => `${table} ${row.at_ms} ${row.model_asked}`,
  };
}

const bin: MovedColumn = figure;
const count = { requests: figure } as const;
const model = text();
const provider = text(200);

function bulkSums(table: string, key: readonly string[], columns: Readonly<Record<string, MovedColumn>>) {
  return plainTable({ table, key, columns, isBulk: true, isSummed: true });
}

/** The request log, and its sums, which are older than its rows. */
export const logTables: readonly MovedTable[] = [
  requests,
  kindSums('request_sums', ['at_ms', 'kind']),
  bulkSums('request_times', ['at_ms', 'what', 'provider', 'model', 'bin'], {
    ...{ at_ms: time, what: text(50), provider, model, bin, ...count },
  }),
  bulkSums('request_steps', ['at_ms', 'module', 'effect'], {
    ...{ at_ms: time, module: text(200), effect: text(50), ...count },
    ...{ own_us: figure, saved_nano_usd: signedFigure },
  }),
  bulkSums('request_step_times', ['at_ms', 'module', 'bin'], {
    ...{ at_ms: time, module: text(200), bin, ...count },
  }),
  kindSums('request_past_sums', ['kind', 'at_ms']),
  bulkSums('request_past_models', ['at_ms', 'model', 'is_failed', 'is_cached'], {
    ...{ at_ms: time, model, is_failed: flag, is_cached: flag, ...sums },
  }),
  bulkSums('request_past_times', ['at_ms', 'what', 'bin'], { at_ms: time, what: text(50), bin, ...count }),
  bulkSums('request_past_model_times', ['provider', 'model', 'bin', 'at_ms'], {
    ...{ provider, model, bin, at_ms: time, ...count },
  }),
  bulkSums('conversations', ['conversation'], {
    ...{ conversation: text(500), requests: figure, failed: figure, ...tokenFigures },
    ...{ cost_nano_usd: figure, saved_nano_usd: signedFigure, first_ms: time, last_ms: time },
    ...{ last_hour_ms: time, key_id: optionalText(100), client: optionalText(), end_user: optionalText() },
    models: text(16_384),
  }),
  bulkSums('end_user_days', ['end_user', 'at_ms'], {
    ...{ end_user: text(500), at_ms: time, requests: figure, failed: figure, ...tokenFigures },
    ...{ cost_nano_usd: figure, saved_nano_usd: signedFigure },
  }),
];
