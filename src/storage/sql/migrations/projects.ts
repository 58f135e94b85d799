import type { Migration } from '../migrate.ts';

/** Projects of accounts, their members, and the project of an API key. */
export const projects: Migration = {
  name: 'projects',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('projects')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('archived_at_ms', integer)
      .addUniqueConstraint('projects_by_name', ['account_id', 'name'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('projects_of_account')
      .on('projects')
      .columns(['account_id', 'created_at_ms', 'id'])
      .execute();
    await db.schema
      .createTable('project_members')
      .addColumn('project_id', text, (column) => column.notNull())
      .addColumn('member_id', text, (column) => column.notNull())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('project_members_key', ['project_id', 'member_id'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('project_members_by_member')
      .on('project_members')
      .columns(['account_id', 'member_id'])
      .execute();
    await db.schema.alterTable('api_keys').addColumn('project_id', text).execute();
    await db.schema
      .createIndex('api_keys_of_project')
      .on('api_keys')
      .columns(['account_id', 'project_id'])
      .execute();
  },
};
