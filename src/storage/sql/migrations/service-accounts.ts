import type { Migration } from '../migrate.ts';

/** Service accounts, and their tokens by hash. */
export const serviceAccounts: Migration = {
  name: 'service-accounts',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('service_accounts')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('disabled_at_ms', integer)
      .addUniqueConstraint('service_accounts_by_name', ['account_id', 'name'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('service_account_tokens')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('service_account_id', text, (column) => column.notNull())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull().unique())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('used_at_ms', integer)
      .addColumn('expires_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('service_account_tokens_of_account')
      .on('service_account_tokens')
      .columns(['account_id', 'service_account_id'])
      .execute();
  },
};
