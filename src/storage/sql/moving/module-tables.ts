import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';
import type { MovedOwner, MovedRow } from '../../../kernel/ports/moving.ts';
import { recordingModes } from '../../../kernel/ports/recordings.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { limits } from '../../limits.ts';
import {
  base64,
  json,
  type MovedColumn,
  optionalInteger,
  optionalText,
  optionalTime,
  text,
  time,
} from './columns.ts';
import type { ImportContext, MovedTable, SqlType, StoredRow } from './moved-table.ts';
import { plainTable } from './plain-table.ts';

/** Versions start at random, so that none comes again after a deletion. */
const firstVersionMax = 2 ** 47;
const clockMs = 86_400_000;
const ledgerEnd = '/ledger';

const module = text(limits.moduleStoreNameCharactersMax);
function valuesTable(
  name: string,
  where: RawBuilder<unknown>,
  more: Partial<Pick<MovedTable, 'faultOf' | 'toMoved' | 'toStored'>>,
): MovedTable {
  const columns: Readonly<Record<string, MovedColumn>> = {
    ...{ module, key: text(limits.moduleKeyCharactersMax) },
    ...{ value: json(limits.moduleValueBytesMax), updated_at_ms: time },
  };
  const written: Readonly<Record<string, SqlType>> = {
    ...{
      scope: 'text',
      module: 'text',
      key: 'text',
      value: 'text',
      version: 'bigint',
      updated_at_ms: 'bigint',
    },
  };
  return plainTable({
    ...{ name, table: 'module_entries', owner: 'scope', where, key: ['module', 'key'], columns, written },
    version: 'version',
    toStored: (row, { owner: { scope } }) => ({ scope, version: randomInt(1, firstVersionMax), ...row }),
    ...more,
  });
}

const localSettings = sql`t.module in ('stored-pipeline', 'recordings')`;
const ledgers = sql`t.module like ${`%${ledgerEnd}`}`;
/** What a gateway has found out about itself, and finds out again. */
const findings = sql`(t.module like '%/auto' or t.module = 'semantic-cache')`;

const settingValues = valuesTable('module_entries:settings', localSettings, {
  faultOf: ({ module: owner, key, value }, context) => {
    const stored: unknown = JSON.parse(String(value));
    if (owner === 'recordings' && key === 'mode')
      return recordingModes.some((mode) => mode === stored) ? undefined : 'it is no recording mode';
    if (owner !== 'stored-pipeline' || key !== 'gateway') return 'it is no setting';
    if (!isJsonObject(stored) || typeof stored.text !== 'string' || typeof stored.updatedAtMs !== 'number')
      return 'it is no pipeline';
    return context.isLocal ? context.faultOfPipeline(stored.text) : undefined;
  },
});

const otherValues = valuesTable(
  'module_entries:others',
  sql`not ${localSettings} and not ${ledgers} and not ${findings}`,
  {
    faultOf: ({ module: owner }, { hasModule }) =>
      typeof owner === 'string' && hasModule(owner) ? undefined : `module "${owner}" is not loaded here`,
  },
);

/** Decisions of modules in conversations; sealed in the database. */
const decisions: MovedTable = valuesTable('module_entries:ledgers', ledgers, {
  toMoved: ({ module: owner, key, value, updated_at_ms }, { scope }, { sealings }) => {
    const stored: unknown = JSON.parse(String(value));
    const known = { module: String(owner), key: String(key), updated_at_ms: Number(updated_at_ms) };
    // The marker of a conversation.
    if (!isJsonObject(stored)) return { ...known, value: String(value) };
    const { by, sealed } = stored;
    if (typeof by !== 'string' || typeof sealed !== 'string') return undefined;
    const content = { sealedBy: by, sealed: Buffer.from(sealed, 'base64') };
    const opened = sealings.decisions.open(content, decisionContext(known.module, scope, known.key));
    return opened && { ...known, value: JSON.stringify({ decision: opened.toString('utf8') }) };
  },
  faultOf: ({ module: owner, value }, { hasModule }) => {
    const name = String(owner);
    if (!name.endsWith(ledgerEnd)) return 'it is no log of decisions';
    if (!hasModule(name.slice(0, -ledgerEnd.length))) return `module "${name}" is not loaded here`;
    return decisionIn(value) === undefined && value !== 'null' ? 'it is no decision' : undefined;
  },
  toStored: (row, { owner: { scope }, sealings }) => {
    const decision = decisionIn(row.value);
    const stored = { scope, version: randomInt(1, firstVersionMax), ...row };
    if (decision === undefined) return stored;
    const context = decisionContext(String(row.module), scope, String(row.key));
    const { sealedBy, sealed } = sealings.decisions.seal(Buffer.from(decision), context);
    const value = JSON.stringify({ by: sealedBy, sealed: Buffer.from(sealed).toString('base64') });
    return { ...stored, value };
  },
});

/** As `DecisionLogs` seals it. */
function decisionContext(owner: string, scope: string, key: string): string {
  return `ledger\n${owner.slice(0, -ledgerEnd.length)}\n${scope}\n${key}`;
}

/** A decision, as JSON. */
function decisionIn(value: unknown): string | undefined {
  const stored: unknown = JSON.parse(String(value));
  const decision = isJsonObject(stored) ? stored.decision : undefined;
  if (typeof decision !== 'string') return undefined;
  try {
    JSON.parse(decision);
    return decision;
  } catch {
    return undefined;
  }
}

const sealedBytesMax = 8 * 1024 * 1024;
const indexed: Readonly<Record<string, MovedColumn>> = {
  ...Object.fromEntries(
    ['text1', 'text2', 'text3', 'text4'].map((name) => [
      name,
      optionalText(limits.collectionTextCharactersMax),
    ]),
  ),
  integer1: optionalInteger,
  integer2: optionalInteger,
};

const entryColumns: Readonly<Record<string, MovedColumn>> = {
  ...{ module, collection: text(64), key: text(limits.collectionKeyCharactersMax) },
  value: { type: 'text', schema: json(sealedBytesMax, true).schema },
  content: { type: 'text', schema: base64(sealedBytesMax).schema.nullable() },
  ...{ created_at_ms: time, updated_at_ms: time, expires_at_ms: optionalTime },
  ...indexed,
};
const entryNames = Object.keys(entryColumns);
const plainNames = entryNames.filter((name) => name !== 'content');

function entriesTable(name: string, where: RawBuilder<unknown>): MovedTable {
  return plainTable({
    ...{ name, table: 'collection_entries', owner: 'scope', where },
    key: ['module', 'collection', 'key'],
    columns: entryColumns,
    read: sql.join([...plainNames, 'sealed_by', 'sealed'].map((column) => sql.ref(`t.${column}`))),
    written: {
      ...{ scope: 'text', module: 'text', collection: 'text', key: 'text', value: 'text', sealed_by: 'text' },
      ...{ sealed: 'bytes', bytes: 'bigint', version: 'bigint', created_at_ms: 'bigint' },
      ...{ updated_at_ms: 'bigint', expires_at_ms: 'bigint', text1: 'text', text2: 'text', text3: 'text' },
      ...{ text4: 'text', integer1: 'bigint', integer2: 'bigint' },
    },
    version: 'version',
    toMoved: entryToMoved,
    faultOf: entryFault,
    toStored: entryToStored,
  });
}

const entryToMoved: MovedTable['toMoved'] = (row, owner, { sealings }) => {
  const opened = openEntry(row, owner, sealings.collections.open);
  if (opened === undefined) return undefined;
  const content = opened === 'plain' ? null : opened.toString('base64');
  return pickEntry({ ...row, content });
};

function openEntry(
  row: StoredRow,
  { scope }: MovedOwner,
  open: (content: { sealedBy: string; sealed: Uint8Array }, context: string) => Buffer | undefined,
): Buffer | 'plain' | undefined {
  const { sealed_by: sealedBy, sealed } = row;
  if (!(sealed instanceof Uint8Array) || typeof sealedBy !== 'string') return 'plain';
  return open({ sealedBy, sealed }, entryContext(row, scope));
}

function pickEntry(row: StoredRow): MovedRow {
  return Object.fromEntries(
    entryNames.map((name) => {
      const value = row[name];
      return [name, typeof value === 'string' || typeof value === 'number' ? value : null];
    }),
  );
}

/** As the stores of modules seal it. */
function entryContext({ module: owner, collection, key }: StoredRow, scope: string): string {
  return `${owner === collection ? collection : `${owner} ${collection}`}\n${scope}\n${key}`;
}

const entryFault: NonNullable<MovedTable['faultOf']> = async (row, { collectionOf, nowMs }) => {
  const declared = collectionOf(String(row.module), String(row.collection));
  if (declared === undefined) return `no module here stores "${row.module} ${row.collection}"`;
  if (declared.isSealed !== (row.content !== null) || (row.value === null) !== declared.isSealed)
    return 'its content is in the wrong place';
  if (Number(row.created_at_ms) > nowMs + clockMs) return 'it is in the future';
  const { expires_at_ms: end } = row;
  if (end !== null && Number(end) <= nowMs) return 'it has expired';
  const latest =
    declared.lifeSeconds === undefined ? undefined : nowMs + declared.lifeSeconds * 1000 + clockMs;
  if (latest !== undefined && (end === null || Number(end) > latest))
    return 'it would be stored for too long';
  if (bytesOf(row) > declared.valueBytesMax) return `it is larger than ${declared.valueBytesMax} bytes`;
  const json = row.content === null ? String(row.value) : await unpack(String(row.content));
  if (json === undefined) return 'its content can’t be read';
  return declared.faultOf(JSON.parse(json));
};

const inflate = promisify(inflateRaw);

/** Undefined if it is no compressed JSON, or too long. */
async function unpack(content: string): Promise<string | undefined> {
  try {
    const options = { maxOutputLength: limits.movedContentBytesMax };
    const json = (await inflate(Buffer.from(content, 'base64'), options)).toString('utf8');
    JSON.parse(json);
    return json;
  } catch {
    return undefined;
  }
}

function bytesOf({ value, content }: MovedRow): number {
  return content === null || content === undefined
    ? Buffer.byteLength(String(value))
    : Buffer.byteLength(String(content), 'base64') + sealBytes;
}

/** A nonce and a tag. */
const sealBytes = 28;

function entryToStored(
  { content, ...row }: MovedRow,
  { owner: { scope }, sealings }: ImportContext,
): StoredRow {
  const sealed =
    typeof content === 'string'
      ? sealings.collections.seal(Buffer.from(content, 'base64'), entryContext(row, scope))
      : undefined;
  return {
    ...{ scope, ...row, version: randomInt(1, firstVersionMax) },
    sealed_by: sealed?.sealedBy ?? null,
    sealed: sealed?.sealed ?? null,
    bytes: sealed?.sealed.byteLength ?? Buffer.byteLength(String(row.value)),
  };
}

const isPattern = sql`t.module = 'patterns'`;
const isArchive = sql`t.module = 'archive'`;
const isLedger = sql`t.module = 'compaction-bridge'`;

export const moduleTables: readonly MovedTable[] = [
  settingValues,
  decisions,
  otherValues,
  entriesTable('collection_entries:patterns', isPattern),
  entriesTable('collection_entries:archive', isArchive),
  entriesTable('collection_entries:ledgers', isLedger),
  entriesTable('collection_entries:others', sql`not (${isPattern} or ${isArchive} or ${isLedger})`),
];
