import type { Migration } from '../migrate.ts';

/** Whom what was left out of a conversation is for, among the people whom an account serves. */
export const archivePersons: Migration = {
  name: 'archive-persons',
  async up(db, { text }) {
    await db.schema.alterTable('archive').addColumn('person', text).execute();
    await db.schema.createIndex('archive_of_person').on('archive').columns(['scope', 'person']).execute();
  },
};
