import type { Migration } from '../migrate.ts';

/** Imports under way, and their rows until they are in their tables. */
export const imports: Migration = {
  name: 'imports',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('imports')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull().unique())
      .addColumn('is_committed', integer, (column) => column.notNull())
      .addColumn('seen_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('import_rows')
      .addColumn('import_id', text, (column) => column.notNull())
      .addColumn('table_name', text, (column) => column.notNull())
      .addColumn('how', text, (column) => column.notNull())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('content', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('import_rows_pkey', ['import_id', 'table_name', 'how', 'number'])
      .modifyEnd(tableEnd)
      .execute();
  },
};
