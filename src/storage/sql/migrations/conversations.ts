import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Sums of calls by conversation, and what its timeline needs of a call. */
export const conversations: Migration = {
  name: 'conversations',
  async up(db, { name, text, integer, tableEnd }) {
    for (const column of ['parent_conversation', 'turn'])
      await db.schema.alterTable('requests').addColumn(column, text).execute();
    await db.schema
      .createIndex('requests_of_parent')
      .on('requests')
      .columns(['parent_conversation', 'id'])
      .where('parent_conversation', 'is not', null)
      .execute();
    let table = db.schema
      .createTable('conversations')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('conversation', text, (column) => column.notNull());
    for (const column of sums) table = table.addColumn(column, integer, (sum) => sum.notNull());
    for (const column of ['key_id', 'client', 'end_user']) table = table.addColumn(column, text);
    await table
      .addColumn('models', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('conversations_pkey', ['account_id', 'conversation'])
      // Rows change with every call: room on each page of PostgreSQL spares the indexes.
      .modifyEnd(name === 'postgres' ? sql`with (fillfactor = 70)` : sql`${tableEnd}, without rowid`)
      .execute();
    await db.schema
      .createIndex('conversations_by_hour')
      .on('conversations')
      .columns(['account_id', 'last_hour_ms'])
      .execute();
  },
};

const sums = [
  ...['requests', 'failed', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  ...['cost_nano_usd', 'saved_nano_usd', 'first_ms', 'last_ms', 'last_hour_ms'],
];
