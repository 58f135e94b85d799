import type { Migration } from '../migrate.ts';

/** SCIM: tokens of identity providers, and the users and groups that they manage. */
export const scim: Migration = {
  name: 'scim',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('scim_tokens')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull().unique())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('used_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('scim_tokens_of_account')
      .on('scim_tokens')
      .columns(['account_id', 'created_at_ms'])
      .execute();
    await db.schema
      .createTable('scim_users')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('user_name_folded', text, (column) => column.notNull())
      .addColumn('external_id', text)
      .addColumn('email', text, (column) => column.notNull())
      .addColumn('email_folded', text, (column) => column.notNull())
      .addColumn('active', integer, (column) => column.notNull())
      .addColumn('display_name', text)
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('identity_id', text)
      .addColumn('suspended', text)
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addUniqueConstraint('scim_users_by_name', ['account_id', 'user_name_folded'])
      .addUniqueConstraint('scim_users_by_email', ['account_id', 'email_folded'])
      // NULLs are distinct: several may have no person yet.
      .addUniqueConstraint('scim_users_by_person', ['account_id', 'identity_id'])
      .modifyEnd(tableEnd)
      .execute();
    await createListIndexes('scim_users');
    await db.schema
      .createIndex('scim_users_of_person')
      .on('scim_users')
      .columns(['identity_id', 'account_id'])
      .execute();
    await db.schema
      .createTable('scim_groups')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('display_name', text, (column) => column.notNull())
      .addColumn('display_name_folded', text, (column) => column.notNull())
      .addColumn('external_id', text)
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addUniqueConstraint('scim_groups_by_name', ['account_id', 'display_name_folded'])
      .modifyEnd(tableEnd)
      .execute();
    await createListIndexes('scim_groups');
    await db.schema
      .createTable('scim_group_members')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('group_id', text, (column) => column.notNull())
      .addColumn('user_id', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('scim_group_members_pkey', ['group_id', 'user_id'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('scim_group_members_of_user')
      .on('scim_group_members')
      .columns(['user_id', 'group_id'])
      .execute();
    await db.schema
      .createIndex('scim_group_members_of_account')
      .on('scim_group_members')
      .columns(['account_id', 'group_id'])
      .execute();

    async function createListIndexes(table: 'scim_users' | 'scim_groups'): Promise<void> {
      await db.schema
        .createIndex(`${table}_in_order`)
        .on(table)
        .columns(['account_id', 'created_at_ms', 'id'])
        .execute();
      await db.schema
        .createIndex(`${table}_by_external_id`)
        .on(table)
        // In the order of lists, or a planner would rather go through all of them.
        .columns(['account_id', 'external_id', 'created_at_ms', 'id'])
        .execute();
    }
  },
};
