import type { Migration } from '../migrate.ts';

/** The version of the settings that each process serves with. */
export const processSettings: Migration = {
  name: 'process-settings',
  async up(db, { text }) {
    await db.schema.alterTable('gateway_processes').addColumn('configuration', text).execute();
  },
};
