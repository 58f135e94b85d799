import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Sums of calls by UTC day and end user; those of earlier calls are not made up for. */
export const endUserDays: Migration = {
  name: 'end-user-days',
  async up(db, { name, text, integer, tableEnd }) {
    let table = db.schema
      .createTable('end_user_days')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('end_user', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull());
    for (const column of sums) table = table.addColumn(column, integer, (sum) => sum.notNull());
    await table
      .addPrimaryKeyConstraint('end_user_days_pkey', ['account_id', 'end_user', 'at_ms'])
      // Rows change with every call: room on each page of PostgreSQL spares the index.
      .modifyEnd(name === 'postgres' ? sql`with (fillfactor = 70)` : sql`${tableEnd}, without rowid`)
      .execute();
  },
};

const sums = [
  ...['requests', 'failed', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  ...['cost_nano_usd', 'saved_nano_usd'],
];
