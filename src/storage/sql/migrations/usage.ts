import type { Migration } from '../migrate.ts';

/** What accounts used, summed up. */
export const usage: Migration = {
  name: 'usage',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('usage_days')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('day', text, (column) => column.notNull())
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('provider', text, (column) => column.notNull())
      .addColumn('model', text, (column) => column.notNull())
      .addColumn('requests', integer, (column) => column.notNull())
      .addColumn('failed', integer, (column) => column.notNull())
      .addColumn('input_tokens', integer, (column) => column.notNull())
      .addColumn('output_tokens', integer, (column) => column.notNull())
      .addColumn('cache_read_tokens', integer, (column) => column.notNull())
      .addColumn('cache_write_tokens', integer, (column) => column.notNull())
      .addColumn('cost_nano_usd', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_days_of_account', ['account_id', 'day', 'key_id', 'provider', 'model'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('usage_days_by_day').on('usage_days').column('day').execute();

    await db.schema
      .createTable('usage_periods')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('period_start_ms', integer, (column) => column.notNull())
      .addColumn('calls', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_periods_of_account', ['account_id', 'period_start_ms'])
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('usage_batches')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('usage_batches_by_time').on('usage_batches').column('at_ms').execute();
  },
};
