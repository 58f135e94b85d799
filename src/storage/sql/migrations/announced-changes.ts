import type { Migration } from '../migrate.ts';

/** Changes whose entries are not in the audit log yet. */
export const announcedChanges: Migration = {
  name: 'announced-changes',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('announced_changes')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('content', text, (column) => column.notNull())
      .addColumn('until_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('announced_changes_by_time')
      .on('announced_changes')
      .column('until_ms')
      .execute();
  },
};
