import type { Migration } from '../migrate.ts';

/** Rate limits of API keys. */
export const keyLimits: Migration = {
  name: 'key-limits',
  async up(db, { integer }) {
    for (const column of ['requests_per_minute', 'tokens_per_minute', 'concurrent'])
      await db.schema.alterTable('api_keys').addColumn(column, integer).execute();
  },
};
