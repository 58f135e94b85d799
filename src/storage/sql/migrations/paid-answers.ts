import type { Migration } from '../migrate.ts';

/** Answers to paid calls that can be asked for again. */
export const paidAnswers: Migration = {
  name: 'paid-answers',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('paid_answers')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('digest', text, (column) => column.notNull())
      .addColumn('until_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .addColumn('makings', integer, (column) => column.notNull())
      .addColumn('settlement_id', text)
      .addColumn('sealed_by', text)
      .addColumn('sealed', bytes)
      .addColumn('bytes', integer, (column) => column.notNull())
      .addColumn('whole', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('paid_answers_by_expiry')
      .on('paid_answers')
      .columns(['expires_at_ms', 'name'])
      .execute();
  },
};
