import type { Migration } from '../migrate.ts';

/** Calls that a module made on its own. */
export const askedBy: Migration = {
  name: 'asked-by',
  async up(db, { text }) {
    await db.schema.alterTable('requests').addColumn('asked_by', text).execute();
  },
};
