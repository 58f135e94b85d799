import type { Migration } from '../migrate.ts';

/** Anonymous sessions, and which account has claimed which. */
export const sandbox: Migration = {
  name: 'sandbox',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('anon_sessions')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('session_ref', text, (column) => column.notNull().unique())
      .addColumn('token_hash', text, (column) => column.notNull().unique())
      .addColumn('address_hash', text, (column) => column.notNull())
      .addColumn('request_limit', integer, (column) => column.notNull())
      .addColumn('requests_used', integer, (column) => column.notNull())
      .addColumn('given_back', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .addColumn('revoked_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('anon_sessions_by_expiry')
      .on('anon_sessions')
      .column('expires_at_ms')
      .execute();

    // No reference to sessions, which are forgotten after a while.
    await db.schema
      .createTable('anon_claims')
      .addColumn('session_id', text, (column) => column.primaryKey())
      .addColumn('session_ref', text, (column) => column.notNull())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('claimed_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('anon_claims_of_account').on('anon_claims').column('account_id').execute();
  },
};
