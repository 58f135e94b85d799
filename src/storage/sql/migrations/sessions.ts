import type { Migration } from '../migrate.ts';

/** Sessions one by one, links that are sent by mail, accounts that are closed, and what is left of those that are gone. */
export const sessions: Migration = {
  name: 'sessions',
  async up(db, { text, integer, tableEnd }) {
    await db.schema.alterTable('users').addColumn('verified_at_ms', integer).execute();
    await db.schema.alterTable('users').addColumn('disabled_at_ms', integer).execute();

    // Who is logged in is written down from now on, instead of who no longer is.
    await db.schema.dropTable('ended_sessions').execute();
    await db.schema
      .createTable('sessions')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('client', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('used_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('sessions_of_account')
      .on('sessions')
      .columns(['account_id', 'created_at_ms'])
      .execute();
    await db.schema.createIndex('sessions_by_expiry').on('sessions').column('expires_at_ms').execute();

    await db.schema
      .createTable('mailed_tokens')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('purpose', text, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('mailed_tokens_of_account')
      .on('mailed_tokens')
      .columns(['account_id', 'expires_at_ms'])
      .execute();
    await db.schema
      .createIndex('mailed_tokens_by_expiry')
      .on('mailed_tokens')
      .column('expires_at_ms')
      .execute();

    await db.schema
      .createTable('erasures')
      .addColumn('account_id', text, (column) => column.primaryKey())
      .addColumn('pass', integer, (column) => column.notNull())
      .addColumn('next_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('erasures_by_time').on('erasures').column('next_at_ms').execute();
  },
};
