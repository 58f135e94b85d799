import type { Migration } from '../migrate.ts';

/** Issuers whose tokens organizations accept as credentials of calls. */
export const tokenIssuers: Migration = {
  name: 'token-issuers',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('token_issuers')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('audience', text, (column) => column.notNull())
      .addColumn('rules', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addUniqueConstraint('token_issuers_by_audience', ['audience', 'issuer'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('token_issuers_of_account')
      .on('token_issuers')
      .columns(['account_id', 'created_at_ms'])
      .execute();
  },
};
