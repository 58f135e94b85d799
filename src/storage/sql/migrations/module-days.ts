import type { Migration } from '../migrate.ts';

/** What modules saved accounts, and what their trials showed, summed up. */
export const moduleDays: Migration = {
  name: 'module-days',
  async up(db, { text, integer, real, tableEnd }) {
    await db.schema
      .createTable('module_days')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('day', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('saved_nano_usd', integer, (column) => column.notNull())
      .addColumn('spent_nano_usd', integer, (column) => column.notNull())
      .addColumn('with_conversations', integer, (column) => column.notNull())
      .addColumn('with_cost_nano_usd', integer, (column) => column.notNull())
      .addColumn('with_squared_usd', real, (column) => column.notNull())
      .addColumn('without_conversations', integer, (column) => column.notNull())
      .addColumn('without_cost_nano_usd', integer, (column) => column.notNull())
      .addColumn('without_squared_usd', real, (column) => column.notNull())
      .addPrimaryKeyConstraint('module_days_of_account', ['account_id', 'day', 'module'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('module_days_by_day').on('module_days').column('day').execute();
  },
};
