import type { Migration } from '../migrate.ts';

/** Passkeys, second factors with their recovery codes, and challenges of logins in progress. */
export const passkeys: Migration = {
  name: 'passkeys',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('passkeys')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('identity_id', text, (column) => column.notNull())
      .addColumn('public_key', text, (column) => column.notNull())
      .addColumn('counter', integer, (column) => column.notNull())
      .addColumn('transports', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('backed_up', integer, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('used_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('passkeys_of_identity')
      .on('passkeys')
      .columns(['identity_id', 'created_at_ms'])
      .execute();
    await db.schema
      .createTable('second_factors')
      .addColumn('identity_id', text, (column) => column.primaryKey())
      .addColumn('since_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('recovery_codes')
      .addColumn('identity_id', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('recovery_codes_pkey', ['identity_id', 'hash'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('login_challenges')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('challenge', text, (column) => column.notNull())
      .addColumn('purpose', text, (column) => column.notNull())
      .addColumn('identity_id', text)
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('login_challenges_by_expiry')
      .on('login_challenges')
      .columns(['expires_at_ms'])
      .execute();
    await db.schema
      .createIndex('login_challenges_of_identity')
      .on('login_challenges')
      .columns(['identity_id'])
      .execute();
  },
};
