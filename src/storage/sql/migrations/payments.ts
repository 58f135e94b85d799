import type { Migration } from '../migrate.ts';

/** Prices that were quoted, and what was paid. */
export const payments: Migration = {
  name: 'payments',
  async up(db, sqlDialect) {
    const { text, integer, tableEnd } = sqlDialect;
    await db.schema
      .createTable('payment_challenges')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('realm', text, (column) => column.notNull())
      .addColumn('request', text, (column) => column.notNull())
      .addColumn('digest', text, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .addColumn('consumed_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('payment_challenges_by_expiry')
      .on('payment_challenges')
      .columns(['expires_at_ms', 'id'])
      .execute();

    await db.schema
      .createTable('payment_ledger')
      .addColumn('line_id', text, (column) => column.primaryKey())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('route', text, (column) => column.notNull())
      .addColumn('amount', text, (column) => column.notNull())
      .addColumn('currency', text, (column) => column.notNull())
      .addColumn('receipt_hash', text, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('payment_ledger_by_time')
      .on('payment_ledger')
      .columns(['at_ms', 'line_id'])
      .execute();
    await sqlDialect.makeAppendOnly(db, { table: 'payment_ledger', key: 'line_id' });
  },
};
