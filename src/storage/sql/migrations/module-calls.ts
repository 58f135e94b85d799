import type { Migration } from '../migrate.ts';

/** The calls that a module ran in. Older builds, which store none, leave the default. */
export const moduleCalls: Migration = {
  name: 'module-calls',
  async up(db, { integer }) {
    await db.schema
      .alterTable('module_days')
      .addColumn('calls', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
