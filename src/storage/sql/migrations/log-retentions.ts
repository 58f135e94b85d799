import type { Migration } from '../migrate.ts';

/** How long accounts keep their calls in the log. */
export const logRetentions: Migration = {
  name: 'log-retentions',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('log_retentions')
      .addColumn('account_id', text, (column) => column.primaryKey())
      .addColumn('days', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
  },
};
