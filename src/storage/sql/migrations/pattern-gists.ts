import type { Migration } from '../migrate.ts';

/** What conversations were about, for lessons from how they went. */
export const patternGists: Migration = {
  name: 'pattern-gists',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('pattern_gists')
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('conversation', text, (column) => column.notNull())
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('about', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('pattern_gists_by_conversation', ['owner', 'conversation'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('pattern_gists_by_age').on('pattern_gists').columns(['at_ms']).execute();
  },
};
