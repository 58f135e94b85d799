import { type RawBuilder, sql, type Transaction } from 'kysely';
import { limits } from '../../../kernel/limits.ts';
import { readSteps } from '../../../kernel/ports/logged-call-parts.ts';
import type { Migration } from '../migrate.ts';
import { RequestKindHasher } from '../request-kind.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tables } from '../tables.ts';
import { postgresCounting, sqliteCounting } from './request-kinds-counting.ts';

type Db = Transaction<Pick<Tables, 'schema_migrations'>>;
type Row = Tables['requests'];

/**
 * Each call has a kind: all by which calls are filtered, as one short name. There are few kinds, so that whatever filter is
 * asked for is a handful of ranges of one index, and sums are kept for each of them.
 */
export const requestKinds: Migration = {
  name: 'request-kinds',
  async up(db, sqlDialect) {
    for (const index of ['of_account', 'of_key', 'amiss', 'amiss_of_account'])
      await db.schema.dropIndex(`requests_${index}`).execute();
    await db.schema.alterTable('requests').renameTo('requests_before').execute();
    await createRequests(db, sqlDialect);
    await createKinds(db, sqlDialect);
    await createSums(db, sqlDialect);
    if (sqlDialect.name === 'postgres') await createTrigger(db);
    await moveCalls(db);
    if (sqlDialect.name === 'sqlite')
      for (const statement of sqliteCounting) await sql.raw(statement).execute(db);
    await db.schema.dropTable('requests_before').execute();
  },
};

async function createRequests(db: Db, { text, integer, tableEnd }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('requests')
    .addColumn('id', text, (column) => column.primaryKey())
    // Empty where a process of an earlier version wrote it: such a call is found by no filter, and not summed up.
    .addColumn('kind', text, (column) => column.notNull().defaultTo(''))
    .addColumn('at_ms', integer, (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('key_id', text)
    .addColumn('asked_by', text)
    .addColumn('model_asked', text, (column) => column.notNull())
    .addColumn('model_used', text)
    .addColumn('provider', text)
    .addColumn('wire', text, (column) => column.notNull())
    .addColumn('provider_wire', text)
    .addColumn('streamed', integer, (column) => column.notNull())
    .addColumn('status', integer, (column) => column.notNull())
    .addColumn('ending', text, (column) => column.notNull())
    .addColumn('error_code', text)
    .addColumn('input_tokens', integer)
    .addColumn('output_tokens', integer)
    .addColumn('cache_read_tokens', integer)
    .addColumn('cache_write_tokens', integer)
    .addColumn('reasoning_tokens', integer)
    .addColumn('cost_nano_usd', integer)
    .addColumn('cost_estimated', integer, (column) => column.notNull())
    .addColumn('saved_nano_usd', integer, (column) => column.notNull())
    .addColumn('content_us', integer)
    .addColumn('total_us', integer, (column) => column.notNull())
    .addColumn('overhead_us', integer, (column) => column.notNull())
    .addColumn('left_us', integer)
    .addColumn('connected_us', integer)
    .addColumn('head_us', integer)
    .addColumn('pipeline', text, (column) => column.notNull())
    .addColumn('steps', text, (column) => column.notNull())
    .addColumn('changes', text)
    .modifyEnd(tableEnd)
    .execute();
  // Ids begin with the time, so that each index has its calls in the order in which they came.
  await db.schema.createIndex('requests_of_account').on('requests').columns(['account_id', 'id']).execute();
  await db.schema.createIndex('requests_of_kind').on('requests').columns(['kind', 'id']).execute();
}

async function createKinds(db: Db, { text, integer, tableEnd }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('request_kinds')
    .addColumn('kind', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('key_id', text)
    .addColumn('asked_by', text)
    .addColumn('model_asked', text, (column) => column.notNull())
    .addColumn('model_used', text)
    .addColumn('provider', text)
    .addColumn('status', integer, (column) => column.notNull())
    .addColumn('ending', text, (column) => column.notNull())
    .addColumn('error_code', text)
    // What each module did: `exact-cache:passed,cost-guard:rejected`.
    .addColumn('steps', text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute();
  await db.schema.createIndex('request_kinds_of_account').on('request_kinds').column('account_id').execute();
}

/** By the minute, later by the hour and at last by the day. */
async function createSums(db: Db, { name: home, text, integer, tableEnd }: SqlDialect): Promise<void> {
  // The key is most of the row; SQLite would keep it twice.
  const end = home === 'sqlite' ? sql`${tableEnd}, without rowid` : tableEnd;
  const table = async (
    name: string,
    key: readonly (readonly [string, RawBuilder<unknown>])[],
    sums: readonly string[],
  ) => {
    const columns = [...key, ...sums.map((sum) => [sum, integer] as const)];
    const written = columns.map(([column, type]) => sql`${sql.id(column)} ${type} not null`);
    const names = key.map(([column]) => sql.id(column));
    await sql`create table ${sql.table(name)} (${sql.join(written)}, primary key (${sql.join(names)})) ${end}`.execute(
      db,
    );
    await db.schema.createIndex(`${name}_at`).on(name).column('at_ms').execute();
  };
  await table(
    'request_sums',
    [
      ['account_id', text],
      ['kind', text],
      ['at_ms', integer],
    ],
    [
      ...['requests', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
      ...['cost_nano_usd', 'saved_nano_usd'],
    ],
  );
  // How many calls took how long: a bin is an eighth of what a time has to grow to be `e` times itself.
  await table(
    'request_times',
    [
      ['account_id', text],
      ['at_ms', integer],
      ['what', text],
      ['provider', text],
      ['model', text],
      ['bin', integer],
    ],
    ['requests'],
  );
  await table(
    'request_steps',
    [
      ['account_id', text],
      ['at_ms', integer],
      ['module', text],
      ['effect', text],
    ],
    ['requests', 'own_us', 'saved_nano_usd'],
  );
}

async function createTrigger(db: Db): Promise<void> {
  const body = `begin ${postgresCounting.join(';\n')}; return null; end`;
  await sql
    .raw(`create function requests_count() returns trigger language plpgsql as $count$ ${body} $count$`)
    .execute(db);
  await sql
    .raw(`create trigger requests_counted after insert on requests referencing new table as added
      for each statement execute function requests_count()`)
    .execute(db);
}

async function moveCalls(db: Db): Promise<void> {
  const names = new RequestKindHasher();
  const tables = db.withTables<{ requests: Row; requests_before: Omit<Row, 'kind'> }>();
  for (let last = ''; ; ) {
    const rows = await tables
      .selectFrom('requests_before')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(limits.databaseRowsAtOnce)
      .execute();
    if (rows.length === 0) return;
    await tables
      .insertInto('requests')
      .values(rows.map((row) => ({ ...row, kind: names.hash(kindPartsOf(row)) })))
      .execute();
    last = rows.at(-1)?.id ?? '';
  }
}

function kindPartsOf(row: Omit<Row, 'kind'>) {
  return {
    accountId: row.account_id,
    keyId: row.key_id,
    askedBy: row.asked_by,
    modelAsked: row.model_asked,
    modelUsed: row.model_used,
    provider: row.provider,
    status: row.status,
    ending: row.ending,
    errorCode: row.error_code,
    client: null,
    providerError: null,
    steps: readSteps(JSON.parse(row.steps)),
  };
}
