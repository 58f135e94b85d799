import type { Migration } from '../migrate.ts';

/** Named configurations of modules. */
export const configurations: Migration = {
  name: 'configurations',
  async up(db, { text, integer, tableEnd }) {
    // No reference to users: local mode has configurations, and no users.
    await db.schema
      .createTable('configurations')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('content', text, (column) => column.notNull())
      .addColumn('version', text, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('configurations_of_account', ['account_id', 'module', 'name'])
      .modifyEnd(tableEnd)
      .execute();
  },
};
