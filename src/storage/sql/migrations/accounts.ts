import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Who may call, and with which keys. */
export const accounts: Migration = {
  name: 'accounts',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('users')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('email', text, (column) => column.notNull())
      .addColumn('email_folded', text, (column) => column.notNull().unique())
      .addColumn('password_hash', text, (column) => column.notNull())
      .addColumn('tier', text, (column) => column.notNull())
      .addColumn('period_start_ms', integer)
      .addColumn('period_end_ms', integer)
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('ended_sessions')
      .addColumn('token_id', text, (column) => column.primaryKey())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('ended_sessions_by_expiry')
      .on('ended_sessions')
      .column('expires_at_ms')
      .execute();

    await db.schema
      .createTable('api_keys')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull().references('users.id'))
      .addColumn('prefix', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('pipeline_config', text)
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('last_used_at_ms', integer)
      .addColumn('revoked_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('api_keys_by_account').on('api_keys').column('account_id').execute();
    await db.schema
      .createIndex('api_keys_in_use_by_prefix')
      .on('api_keys')
      .column('prefix')
      .where(sql.ref('revoked_at_ms'), 'is', null)
      .execute();

    // No reference to users: local mode has keys, and no users.
    await db.schema
      .createTable('provider_keys')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('provider', text, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addColumn('hint', text)
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('provider_keys_of_account', ['account_id', 'provider'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('provider_keys_by_seal').on('provider_keys').column('sealed_by').execute();
  },
};
