import type { Migration } from '../migrate.ts';

/** What processes may let through before they have stored what came of it. */
export const reservations: Migration = {
  name: 'reservations',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('reservations')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('what', text, (column) => column.notNull())
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('period_start_ms', integer, (column) => column.notNull())
      .addColumn('process_id', text, (column) => column.notNull())
      .addColumn('amount', integer, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('until_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('reservations_of_process', [
        'account_id',
        'what',
        'key_id',
        'period_start_ms',
        'process_id',
      ])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('reservations_by_end').on('reservations').column('until_ms').execute();
  },
};
