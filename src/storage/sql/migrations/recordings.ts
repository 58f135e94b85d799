import type { Migration } from '../migrate.ts';

/** Recorded calls, and which of its calls an API key records. */
export const recordings: Migration = {
  name: 'recordings',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('recordings')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('bytes', integer, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('recordings_of_account')
      .on('recordings')
      .columns(['account_id', 'id', 'bytes'])
      .execute();
    await db.schema.createIndex('recordings_by_age').on('recordings').columns(['id', 'bytes']).execute();
    await db.schema.alterTable('api_keys').addColumn('record', text).execute();
  },
};
