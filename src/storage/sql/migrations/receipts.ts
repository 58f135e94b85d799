import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Receipts, the keys they are checked with, whose they are, and which API keys want them. */
export const receipts: Migration = {
  name: 'receipts',
  async up(db, sqlDialect) {
    const { text, integer, tableEnd } = sqlDialect;
    await db.schema
      .createTable('receipts')
      .addColumn('receipt_id', text, (column) => column.primaryKey())
      .addColumn('session_ref', text)
      .addColumn('visibility', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('jws', text, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('receipts_of_session')
      .on('receipts')
      .columns(['session_ref', 'created_at_ms', 'receipt_id'])
      .where(sql.ref('session_ref'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('receipts_by_time')
      .on('receipts')
      .columns(['created_at_ms', 'receipt_id'])
      .execute();

    await db.schema
      .createTable('receipt_keys')
      .addColumn('key_id', text, (column) => column.primaryKey())
      .addColumn('jwk', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await sqlDialect.makeAppendOnly(db, { table: 'receipts', key: 'receipt_id' });
    await sqlDialect.makeAppendOnly(db, { table: 'receipt_keys', key: 'key_id' });

    await db.schema
      .createTable('receipt_owners')
      .addColumn('receipt_id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('receipt_owners_of_account')
      .on('receipt_owners')
      .columns(['account_id', 'created_at_ms', 'receipt_id'])
      .execute();

    await db.schema
      .alterTable('api_keys')
      .addColumn('receipts', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
