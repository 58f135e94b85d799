import type { Migration } from '../migrate.ts';

/** Vectors that modules keep for each tenant. */
export const vectors: Migration = {
  name: 'vectors',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('vector_owners')
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('epoch', text, (column) => column.notNull())
      .addColumn('entries', integer, (column) => column.notNull())
      .addColumn('last_number', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('vector_owners_of_scope', ['scope', 'module'])
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('vectors')
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('part', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('space', text, (column) => column.notNull())
      .addColumn('codes', bytes, (column) => column.notNull())
      .addColumn('data', text, (column) => column.notNull())
      .addColumn('added_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('vectors_by_id', ['scope', 'module', 'part', 'id'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('vectors_by_age')
      .on('vectors')
      .columns(['scope', 'module', 'number'])
      .execute();
    await db.schema
      .createIndex('vectors_of_part')
      .on('vectors')
      .columns(['scope', 'module', 'part', 'number'])
      .execute();
    await db.schema.createIndex('vectors_by_end').on('vectors').columns(['expires_at_ms']).execute();
  },
};
