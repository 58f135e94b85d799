import type { Migration } from '../migrate.ts';

/** The attempts of calls that took more than one. */
export const requestAttempts: Migration = {
  name: 'request-attempts',
  async up(db, { text }) {
    await db.schema.alterTable('requests').addColumn('attempts', text).execute();
  },
};
