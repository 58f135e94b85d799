import type { Migration } from '../migrate.ts';

/** The ids of deleted accounts, so that a restored backup does not bring them back. */
export const deletedAccounts: Migration = {
  name: 'deleted-accounts',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('deleted_accounts')
      .addColumn('account_id', text, (column) => column.primaryKey())
      .addColumn('deleted_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
  },
};
