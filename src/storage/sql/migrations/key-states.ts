import type { Migration } from '../migrate.ts';

/** What is usual for keys, and what is unusual at the moment. */
export const keyStates: Migration = {
  name: 'key-states',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('key_states')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('past', text, (column) => column.notNull())
      .addColumn('has_incident', integer, (column) => column.notNull())
      .addColumn('saved_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('key_states_pkey', ['account_id', 'key_id'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('key_states_with_incident')
      .on('key_states')
      .columns(['has_incident', 'account_id', 'key_id'])
      .where('has_incident', '=', 1)
      .execute();
  },
};
