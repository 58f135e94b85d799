import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Usage of accounts by day and model, without its keys. Begins empty, and is made from the days by key when it is read. */
export const usageModelDays: Migration = {
  name: 'usage-model-days',
  async up(db, { name, text, integer, tableEnd }) {
    let table = db.schema
      .createTable('usage_model_days')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('day', text, (column) => column.notNull())
      .addColumn('provider', text, (column) => column.notNull())
      .addColumn('model', text, (column) => column.notNull());
    for (const column of sums) table = table.addColumn(column, integer, (sum) => sum.notNull());
    await table
      .addPrimaryKeyConstraint('usage_model_days_pkey', ['account_id', 'day', 'provider', 'model'])
      // Rows change every second: room on each page of PostgreSQL spares the index.
      .modifyEnd(name === 'postgres' ? sql`with (fillfactor = 70)` : sql`${tableEnd}, without rowid`)
      .execute();
    await db.schema.createIndex('usage_model_days_by_day').on('usage_model_days').column('day').execute();
  },
};

const sums = [
  ...['requests', 'failed', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  'cost_nano_usd',
];
