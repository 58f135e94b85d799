import type { Migration } from '../migrate.ts';

/** What modules keep for each tenant. */
export const moduleStores: Migration = {
  name: 'module-stores',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('module_stores')
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('entries', integer, (column) => column.notNull())
      .addColumn('last_version', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('module_stores_of_scope', ['scope', 'module'])
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('module_entries')
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('value', text, (column) => column.notNull())
      .addColumn('version', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('module_entries_of_store', ['scope', 'module', 'key'])
      .modifyEnd(tableEnd)
      .execute();
  },
};
