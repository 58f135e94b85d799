import type { Migration } from '../migrate.ts';

/** Access rules of API keys: lists as JSON, null without a rule. */
export const keyAccess: Migration = {
  name: 'key-access',
  async up(db, { text, integer }) {
    for (const column of ['access_models', 'access_providers', 'access_pipelines', 'access_addresses'])
      await db.schema.alterTable('api_keys').addColumn(column, text).execute();
    await db.schema.alterTable('api_keys').addColumn('expires_at_ms', integer).execute();
    await db.schema.alterTable('api_keys').addColumn('end_user', text).execute();
  },
};
