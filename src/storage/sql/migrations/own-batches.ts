import type { Migration } from '../migrate.ts';

/** Batches that the gateway runs itself: files of calls, batches, and the calls that were sent. */
export const ownBatches: Migration = {
  name: 'own-batches',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('call_files')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('call_path', text, (column) => column.notNull())
      .addColumn('models', text, (column) => column.notNull())
      .addColumn('calls', integer, (column) => column.notNull())
      .addColumn('bytes', integer, (column) => column.notNull())
      .addColumn('made_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('call_files_of_account').on('call_files').columns(['account_id']).execute();
    await db.schema
      .createTable('call_file_lines')
      .addColumn('file_id', text, (column) => column.notNull())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint('call_file_lines_pkey', ['file_id', 'number'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('own_batches')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('file_id', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addColumn('calls', integer, (column) => column.notNull())
      .addColumn('completed', integer, (column) => column.notNull())
      .addColumn('failed', integer, (column) => column.notNull())
      .addColumn('cost_nano_usd', integer, (column) => column.notNull())
      .addColumn('result_bytes', integer, (column) => column.notNull())
      .addColumn('made_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .addColumn('ended_at_ms', integer)
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('lease_until_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('own_batches_of_account')
      .on('own_batches')
      .columns(['account_id', 'made_at_ms'])
      .execute();
    // What nobody runs, and what has ended long ago.
    await db.schema
      .createIndex('own_batches_by_lease')
      .on('own_batches')
      .columns(['ended_at_ms', 'lease_until_ms'])
      .execute();
    await db.schema
      .createTable('own_batch_lines')
      .addColumn('batch_id', text, (column) => column.notNull())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('attempts', integer, (column) => column.notNull())
      .addColumn('due_at_ms', integer, (column) => column.notNull())
      .addColumn('sealed_by', text)
      .addColumn('sealed', bytes)
      .addPrimaryKeyConstraint('own_batch_lines_pkey', ['batch_id', 'number'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('own_batch_lines_by_state')
      .on('own_batch_lines')
      .columns(['batch_id', 'state', 'number'])
      .execute();
  },
};
