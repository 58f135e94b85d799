import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Histograms of the time that modules take in calls. Older builds neither read nor write them. */
export const requestStepTimes: Migration = {
  name: 'request-step-times',
  async up(db, { name, text, integer, tableEnd }) {
    await db.schema
      .createTable('request_step_times')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('bin', integer, (column) => column.notNull())
      .addColumn('requests', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('request_step_times_pkey', ['at_ms', 'account_id', 'module', 'bin'])
      .modifyEnd(name === 'postgres' ? tableEnd : sql`${tableEnd}, without rowid`)
      .execute();
  },
};
