import type { Migration } from '../migrate.ts';

/** The running processes and their versions. */
export const gatewayProcesses: Migration = {
  name: 'gateway-processes',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('gateway_processes')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('host', text, (column) => column.notNull())
      .addColumn('pid', integer, (column) => column.notNull())
      .addColumn('version', text, (column) => column.notNull())
      .addColumn('revision', text, (column) => column.notNull())
      .addColumn('started_at_ms', integer, (column) => column.notNull())
      .addColumn('seen_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
  },
};
