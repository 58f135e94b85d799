import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SchemaTables } from '../tables.ts';

/** A table whose rows become entries of a collection. Expressions are SQL over its columns. */
interface CopiedTable {
  readonly table: string;
  readonly owner: string;
  readonly module: string;
  readonly collection: string;
  /** The expressions of the columns of `collection_entries` that differ from null. */
  readonly columns: Readonly<Record<string, string>>;
  /** The condition under which a row belongs to the deleted entry `old`. */
  readonly belongsToOld: string;
}

const archive: CopiedTable = {
  table: 'archive',
  owner: 'scope',
  module: 'archive',
  collection: 'archive',
  columns: {
    key: 'ref',
    sealed_by: 'sealed_by',
    sealed: 'sealed',
    bytes: 'bytes',
    created_at_ms: 'created_at_ms',
    updated_at_ms: 'created_at_ms',
    expires_at_ms: 'expires_at_ms',
    text1: 'conversation',
    text2: 'person',
  },
  belongsToOld: 'ref = old.key',
};

/** As long as the previous release keeps the evidence for patterns. */
const evidenceLifeMs = 30 * 86_400_000;

/** The tables of learned patterns. `object` makes a JSON text from names and columns. */
function patternTables(object: (...fields: string[]) => string): readonly CopiedTable[] {
  const of = { owner: 'owner', module: 'patterns' };
  const evidence = (value: string) => ({
    value,
    bytes: `length(${value})`,
    created_at_ms: 'at_ms',
    updated_at_ms: 'at_ms',
    expires_at_ms: `at_ms + ${evidenceLifeMs}`,
  });
  const scores = ['goodMilli', 'good_milli', 'badMilli', 'bad_milli'];
  return [
    {
      ...of,
      table: 'patterns',
      collection: 'patterns',
      columns: {
        key: 'id',
        value: 'pattern',
        bytes: 'length(pattern)',
        created_at_ms: '0',
        updated_at_ms: '0',
        text1: 'state',
        text2: 'scope',
        text3: 'fingerprint',
      },
      belongsToOld: 'id = old.key',
    },
    {
      ...of,
      table: 'pattern_calls',
      collection: 'calls',
      columns: { key: 'request_id', text1: 'conversation', ...evidence("'null'") },
      belongsToOld: 'request_id = old.key',
    },
    {
      ...of,
      table: 'pattern_gists',
      collection: 'gists',
      columns: { key: 'conversation', ...evidence(object('about', 'about', 'scope', "nullif(scope, '')")) },
      belongsToOld: 'conversation = old.key',
    },
    {
      ...of,
      table: 'pattern_trials',
      collection: 'trials',
      columns: {
        key: "conversation || ' ' || pattern_id",
        text1: 'conversation',
        text2: 'pattern_id',
        ...evidence(object('heldOut', 'held_out', ...scores)),
      },
      belongsToOld: 'conversation = old.text1 and pattern_id = old.text2',
    },
    {
      ...of,
      table: 'outcomes',
      collection: 'outcomes',
      columns: {
        key: "conversation || ' ' || request_id",
        text1: 'conversation',
        text2: 'request_id',
        ...evidence(object('note', 'note', ...scores)),
      },
      belongsToOld: 'conversation = old.text1 and request_id = old.text2',
    },
  ];
}

/** The previous release goes on with the tables, so they stay. */
export async function copyIntoCollections(db: Kysely<SchemaTables>, dialect: SqlDialect): Promise<void> {
  for (const copied of [archive, ...patternTables(jsonObjectIn(dialect))]) {
    await copyRows(db, copied);
    await deleteWithEntries(db, dialect, copied);
  }
  // Without a revision, readers take a collection for empty.
  await sql`insert into collection_counters (scope, module, collection, entries, bytes, revision)
    select scope, module, collection, count(*), sum(bytes), 1 from collection_entries
    where collection in ('patterns', 'archive') group by scope, module, collection`.execute(db);
}

function jsonObjectIn({ name }: SqlDialect) {
  return (...fields: string[]): string => {
    const list = fields.map((field, at) => (at % 2 === 0 ? `'${field}'` : field)).join(', ');
    return name === 'sqlite' ? `json_object(${list})` : `json_build_object(${list})::text`;
  };
}

async function copyRows(
  db: Kysely<SchemaTables>,
  { table, owner, module, collection, columns }: CopiedTable,
): Promise<void> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(columns).map((expression) => sql.raw(expression)));
  await sql`insert into collection_entries (scope, module, collection, version, ${names})
    select ${sql.ref(owner)}, ${sql.lit(module)}, ${sql.lit(collection)}, 1, ${values}
    from ${sql.table(table)}`.execute(db);
}

/** A row is deleted with its entry, so that nothing outlives its expiry, its deletion or its account. */
async function deleteWithEntries(
  db: Kysely<SchemaTables>,
  { name }: SqlDialect,
  { table, owner, module, collection, belongsToOld }: CopiedTable,
): Promise<void> {
  const trigger = sql.id(`${table}_deleted_with_entry`);
  const when = sql`old.module = ${sql.lit(module)} and old.collection = ${sql.lit(collection)}`;
  const deletion = `delete from "${table}" where "${owner}" = old.scope and ${belongsToOld};`;
  const create = (then: RawBuilder<unknown>) =>
    sql`create trigger ${trigger} after delete on collection_entries for each row when (${when}) ${then}`;
  if (name === 'sqlite') {
    await create(sql`begin ${sql.raw(deletion)} end`).execute(db);
    return;
  }
  const body = sql.lit(`begin ${deletion} return null; end`);
  await sql`create function ${trigger}() returns trigger language plpgsql as ${body}`.execute(db);
  await create(sql`execute function ${trigger}()`).execute(db);
}
