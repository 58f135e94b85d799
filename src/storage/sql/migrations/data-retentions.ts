import type { Migration } from '../migrate.ts';

/** How long accounts keep data, and legal holds. */
export const dataRetentions: Migration = {
  name: 'data-retentions',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('data_retentions')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('days', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('data_retentions_pkey', ['account_id', 'kind'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('legal_holds')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('side', text, (column) => column.notNull())
      .addColumn('reason', text, (column) => column.notNull())
      .addColumn('placed_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('legal_holds_pkey', ['account_id', 'side'])
      .modifyEnd(tableEnd)
      .execute();
  },
};
