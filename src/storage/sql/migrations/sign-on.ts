import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Single sign-on: identity providers of organizations, their domains, the people whom they name, and the sessions that began so. */
export const signOn: Migration = {
  name: 'sign-on',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('sign_ons')
      .addColumn('account_id', text, (column) => column.primaryKey())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('client_id', text, (column) => column.notNull())
      .addColumn('sealed_by', text)
      .addColumn('sealed', bytes)
      .addColumn('groups_claim', text)
      .addColumn('group_roles', text, (column) => column.notNull())
      .addColumn('default_role', text)
      .addColumn('enforced', integer, (column) => column.notNull())
      .addColumn('break_glass', text)
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('sign_on_domains')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('domain', text, (column) => column.notNull())
      .addColumn('token', text, (column) => column.notNull())
      .addColumn('added_at_ms', integer, (column) => column.notNull())
      .addColumn('proven_at_ms', integer)
      .addColumn('proven_by', text)
      .addPrimaryKeyConstraint('sign_on_domains_pkey', ['account_id', 'domain'])
      .modifyEnd(tableEnd)
      .execute();
    // Anybody may claim a domain; one organization has it.
    await db.schema
      .createIndex('sign_on_domains_proven')
      .unique()
      .on('sign_on_domains')
      .column('domain')
      .where(sql.ref('proven_at_ms'), 'is not', null)
      .execute();
    await db.schema
      .createTable('sign_on_subjects')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('identity_id', text, (column) => column.notNull())
      .addColumn('since_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('sign_on_subjects_pkey', ['account_id', 'issuer', 'subject'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('sign_on_subjects_of_person')
      .unique()
      .on('sign_on_subjects')
      .columns(['identity_id', 'account_id', 'issuer'])
      .execute();
    await db.schema.alterTable('sessions').addColumn('sign_on_subject', text).execute();
    await db.schema.alterTable('sessions').addColumn('sign_on_sid', text).execute();
    await db.schema
      .createIndex('sessions_of_sign_on')
      .on('sessions')
      .columns(['account_id', 'sign_on_subject'])
      .where(sql.ref('sign_on_subject'), 'is not', null)
      .execute();
  },
};
