import type { Migration } from '../migrate.ts';

/** What was left out of conversations. */
export const archive: Migration = {
  name: 'archive',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('archive')
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('ref', text, (column) => column.notNull())
      .addColumn('conversation', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addColumn('bytes', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('archive_by_ref', ['scope', 'ref'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('archive_by_age')
      .on('archive')
      .columns(['scope', 'created_at_ms', 'ref', 'bytes'])
      .execute();
    await db.schema
      .createIndex('archive_of_conversation')
      .on('archive')
      .columns(['scope', 'conversation'])
      .execute();
    await db.schema.createIndex('archive_by_end').on('archive').columns(['expires_at_ms']).execute();
  },
};
