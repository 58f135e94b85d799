import type { Migration } from '../migrate.ts';

/** Prompts of accounts: their versions, and labels that point to them. */
export const prompts: Migration = {
  name: 'prompts',
  async up(db, { text, integer, tableEnd }) {
    // No reference to users: local mode has prompts, and no users.
    await db.schema
      .createTable('prompt_versions')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('version', integer, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('content', text, (column) => column.notNull())
      .addColumn('note', text)
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('prompt_versions_of_account', ['account_id', 'name', 'version'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('prompt_labels')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('label', text, (column) => column.notNull())
      .addColumn('version', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('prompt_labels_of_account', ['account_id', 'name', 'label'])
      .modifyEnd(tableEnd)
      .execute();
  },
};
