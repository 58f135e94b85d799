import type { Migration } from '../migrate.ts';

/** Who uses an API key, and since when the modules of its pipeline are in it (JSON). */
export const keyOwners: Migration = {
  name: 'key-owners',
  async up(db, { text }) {
    for (const column of ['owner', 'modules_since'])
      await db.schema.alterTable('api_keys').addColumn(column, text).execute();
  },
};
