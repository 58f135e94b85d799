import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Calls one by one, and who cleans up behind them. */
export const requestLog: Migration = {
  name: 'request-log',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('requests')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('key_id', text)
      .addColumn('model_asked', text, (column) => column.notNull())
      .addColumn('model_used', text)
      .addColumn('provider', text)
      .addColumn('wire', text, (column) => column.notNull())
      .addColumn('provider_wire', text)
      .addColumn('streamed', integer, (column) => column.notNull())
      .addColumn('status', integer, (column) => column.notNull())
      .addColumn('ending', text, (column) => column.notNull())
      .addColumn('error_code', text)
      .addColumn('input_tokens', integer)
      .addColumn('output_tokens', integer)
      .addColumn('cache_read_tokens', integer)
      .addColumn('cache_write_tokens', integer)
      .addColumn('reasoning_tokens', integer)
      .addColumn('cost_nano_usd', integer)
      .addColumn('cost_estimated', integer, (column) => column.notNull())
      .addColumn('saved_nano_usd', integer, (column) => column.notNull())
      .addColumn('content_us', integer)
      .addColumn('total_us', integer, (column) => column.notNull())
      .addColumn('overhead_us', integer, (column) => column.notNull())
      .addColumn('pipeline', text, (column) => column.notNull())
      .addColumn('steps', text, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    // Ids begin with the time, so that each index has its calls in the order in which they came. What stands behind the id
    // is there to be compared without a look at the call itself.
    await db.schema
      .createIndex('requests_of_account')
      .on('requests')
      .columns(['account_id', 'id', 'model_asked', 'model_used', 'provider', 'status'])
      .execute();
    await db.schema
      .createIndex('requests_of_key')
      .on('requests')
      .columns(['key_id', 'id'])
      .where(sql.ref('key_id'), 'is not', null)
      .execute();
    // Few go wrong, and these are looked for more than others.
    const amiss = sql<boolean>`(status >= 400 or ending <> 'complete')`;
    await db.schema.createIndex('requests_amiss').on('requests').column('id').where(amiss).execute();
    await db.schema
      .createIndex('requests_amiss_of_account')
      .on('requests')
      .columns(['account_id', 'id'])
      .where(amiss)
      .execute();

    await db.schema
      .createTable('leases')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('until_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
  },
};
