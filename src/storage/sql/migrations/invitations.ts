import type { Migration } from '../migrate.ts';

/** Invitations to sign up, one for each address. */
export const invitations: Migration = {
  name: 'invitations',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('invitations')
      .addColumn('email_folded', text, (column) => column.primaryKey())
      .addColumn('email', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
  },
};
