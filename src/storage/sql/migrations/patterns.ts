import type { Migration } from '../migrate.ts';

/** What was learned, the conversations that it was tried in, and how those went. */
export const patterns: Migration = {
  name: 'patterns',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('pattern_owners')
      .addColumn('owner', text, (column) => column.primaryKey())
      .addColumn('entries', integer, (column) => column.notNull())
      .addColumn('version', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('patterns')
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('fingerprint', text, (column) => column.notNull())
      .addColumn('words', text, (column) => column.notNull())
      .addColumn('pattern', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('patterns_by_id', ['owner', 'id'])
      .addUniqueConstraint('patterns_by_fingerprint', ['owner', 'scope', 'fingerprint'])
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('pattern_calls')
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('request_id', text, (column) => column.notNull())
      .addColumn('conversation', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('pattern_calls_by_id', ['owner', 'request_id'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('pattern_calls_of_conversation')
      .on('pattern_calls')
      .columns(['owner', 'conversation'])
      .execute();

    await db.schema
      .createTable('pattern_trials')
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('conversation', text, (column) => column.notNull())
      .addColumn('pattern_id', text, (column) => column.notNull())
      .addColumn('held_out', integer, (column) => column.notNull())
      .addColumn('good_milli', integer, (column) => column.notNull())
      .addColumn('bad_milli', integer, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('pattern_trials_by_conversation', ['owner', 'conversation', 'pattern_id'])
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('outcomes')
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('conversation', text, (column) => column.notNull())
      .addColumn('request_id', text, (column) => column.notNull())
      .addColumn('good_milli', integer, (column) => column.notNull())
      .addColumn('bad_milli', integer, (column) => column.notNull())
      .addColumn('note', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('outcomes_by_conversation', ['owner', 'conversation', 'request_id'])
      .modifyEnd(tableEnd)
      .execute();

    for (const table of ['pattern_calls', 'pattern_trials', 'outcomes'])
      await db.schema.createIndex(`${table}_by_age`).on(table).columns(['at_ms']).execute();
  },
};
