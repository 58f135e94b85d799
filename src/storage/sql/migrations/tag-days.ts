import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Usage of accounts by day and tag. */
export const tagDays: Migration = {
  name: 'tag-days',
  async up(db, { name, text, integer, tableEnd }) {
    let table = db.schema
      .createTable('tag_days')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('day', text, (column) => column.notNull())
      .addColumn('tag', text, (column) => column.notNull())
      .addColumn('value', text, (column) => column.notNull());
    for (const column of sums) table = table.addColumn(column, integer, (sum) => sum.notNull());
    await table
      .addPrimaryKeyConstraint('tag_days_pkey', ['account_id', 'day', 'tag', 'value'])
      // Rows change every second: room on each page of PostgreSQL spares the index.
      .modifyEnd(name === 'postgres' ? sql`with (fillfactor = 70)` : sql`${tableEnd}, without rowid`)
      .execute();
    await db.schema.createIndex('tag_days_by_day').on('tag_days').column('day').execute();
  },
};

const sums = [
  ...['requests', 'failed', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  'cost_nano_usd',
];
