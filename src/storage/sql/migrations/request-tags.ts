import type { Migration } from '../migrate.ts';

/** The tags of calls, in an index that finds calls by them without reading their rows. */
export const requestTags: Migration = {
  name: 'request-tags',
  async up(db, { text }) {
    await db.schema.alterTable('requests').addColumn('tags', text).execute();
    await db.schema
      .createIndex('requests_with_tags')
      .on('requests')
      .columns(['account_id', 'id', 'tags'])
      .where('tags', 'is not', null)
      .execute();
  },
};
