import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Who is which customer of the processor, the ledger of credits, and charges that are being made. */
export const billing: Migration = {
  name: 'billing',
  async up(db, sqlDialect) {
    const { text, integer, tableEnd } = sqlDialect;
    await db.schema.alterTable('users').addColumn('tier_ends_ms', integer).execute();
    await db.schema
      .alterTable('users')
      .addColumn('overage', integer, (column) => column.notNull().defaultTo(0))
      .execute();

    await db.schema
      .createTable('billing_accounts')
      .addColumn('account_id', text, (column) => column.primaryKey())
      .addColumn('customer_id', text, (column) => column.unique())
      .addColumn('subscription_id', text)
      .addColumn('past_due_since_ms', integer)
      .addColumn('revision', integer, (column) => column.notNull())
      .addColumn('auto_recharge', integer, (column) => column.notNull())
      .addColumn('threshold', integer, (column) => column.notNull())
      .addColumn('amount', integer, (column) => column.notNull())
      .addColumn('off_reason', text)
      .addColumn('failures', integer, (column) => column.notNull())
      .addColumn('next_try_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('billing_accounts_recharging')
      .on('billing_accounts')
      .column('next_try_ms')
      .where(sql.ref('auto_recharge'), '=', sql.lit(1))
      .execute();

    await db.schema
      .createTable('billing_events')
      .addColumn('event_id', text, (column) => column.primaryKey())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('billing_events_by_time').on('billing_events').column('at_ms').execute();

    await db.schema
      .createTable('credit_entries')
      .addColumn('entry_id', text, (column) => column.primaryKey())
      .addColumn('transaction_id', text, (column) => column.notNull())
      .addColumn('book', text, (column) => column.notNull())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('credits', integer, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('reference', text, (column) => column.notNull())
      .addColumn('note', text)
      .addColumn('at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('credit_entries_of_account')
      .on('credit_entries')
      .columns(['account_id', 'book', 'at_ms', 'entry_id'])
      .execute();
    await sqlDialect.makeAppendOnly(db, { table: 'credit_entries', key: 'entry_id' });

    await db.schema
      .createTable('credit_balances')
      .addColumn('account_id', text, (column) => column.primaryKey())
      .addColumn('credits', integer, (column) => column.notNull().check(sql`credits >= 0`))
      .modifyEnd(tableEnd)
      .execute();

    await db.schema
      .createTable('credit_payments')
      .addColumn('intent_id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('credits', integer, (column) => column.notNull())
      .addColumn('reclaimed', integer, (column) => column.notNull())
      .addColumn('taken', integer, (column) => column.notNull())
      .addColumn('revision', integer, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('credit_payments_of_account')
      .on('credit_payments')
      .columns(['account_id', 'at_ms'])
      .execute();

    await db.schema
      .createTable('recharges')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('customer_id', text, (column) => column.notNull())
      .addColumn('method', text, (column) => column.notNull())
      .addColumn('credits', integer, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('until_ms', integer, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('recharges_one_at_a_time')
      .on('recharges')
      .column('account_id')
      .unique()
      .where(sql.ref('state'), '=', sql.lit('open'))
      .execute();
    await db.schema
      .createIndex('recharges_of_account')
      .on('recharges')
      .columns(['account_id', 'at_ms'])
      .execute();
  },
};
