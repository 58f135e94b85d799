import type { Migration } from '../migrate.ts';

/** What calls were billed for beside tokens: pictures, seconds, characters, searches. */
export const requestUnits: Migration = {
  name: 'request-units',
  async up(db, { text }) {
    await db.schema.alterTable('requests').addColumn('units', text).execute();
  },
};
