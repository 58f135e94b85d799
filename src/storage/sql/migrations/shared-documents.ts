import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/**
 * Counts of calls and money where Redis does not have them. PostgreSQL writes no WAL for them: after a crash or on a
 * standby the table is empty, and counts begin from usage and reservations.
 */
export const sharedDocuments: Migration = {
  name: 'shared documents',
  async up(db, { name, text, integer, tableEnd }) {
    await db.schema
      .createTable('shared_documents')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('revision', text, (column) => column.notNull())
      .addColumn('value', text, (column) => column.notNull())
      .addColumn('until_ms', integer, (column) => column.notNull())
      // Rows change with every call: room on each page spares the index.
      .modifyFront(name === 'postgres' ? sql`unlogged` : sql``)
      .modifyEnd(name === 'postgres' ? sql`with (fillfactor = 50)` : tableEnd)
      .execute();
  },
};
