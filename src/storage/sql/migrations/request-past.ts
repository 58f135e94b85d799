import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Migration } from '../migrate.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SchemaTables } from '../tables.ts';

const sums = [
  ...['requests', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  ...['cost_nano_usd', 'saved_nano_usd'],
];

/**
 * What was summed up by the minute is moved here by the hour: once for each thing that is shown of it, in the order in which it
 * is read, so that a month is neither sorted nor read a row for each kind and hour to draw a chart by models.
 */
export const requestPast: Migration = {
  name: 'request-past',
  up: (db, dialect) => createSumTables(db, dialect, 'request_past'),
};

/** Tables of sums with names that begin alike. */
export async function createSumTables(
  db: Transaction<SchemaTables>,
  { name: home, text, integer, tableEnd }: SqlDialect,
  prefix: string,
): Promise<void> {
  const end = home === 'sqlite' ? sql`${tableEnd}, without rowid` : tableEnd;
  const table = async (
    rest: string,
    key: readonly (readonly [string, RawBuilder<unknown>])[],
    columns: readonly string[],
  ) => {
    const name = `${prefix}_${rest}`;
    const all = [...key, ...columns.map((column) => [column, integer] as const)];
    const written = all.map(([column, type]) => sql`${sql.id(column)} ${type} not null`);
    const names = key.map(([column]) => sql.id(column));
    await sql`create table ${sql.table(name)} (${sql.join(written)}, primary key (${sql.join(names)})) ${end}`.execute(
      db,
    );
    await db.schema.createIndex(`${name}_at`).on(name).column('at_ms').execute();
  };
  const [account, at] = [['account_id', text] as const, ['at_ms', integer] as const];
  await table('sums', [account, ['kind', text], at], sums);
  await table('models', [account, at, ['model', text], ['is_failed', integer], ['is_cached', integer]], sums);
  await table('times', [account, at, ['what', text], ['bin', integer]], ['requests']);
  await table(
    'model_times',
    [account, ['provider', text], ['model', text], ['bin', integer], at],
    ['requests'],
  );
}
