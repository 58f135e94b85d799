import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Budgets that accounts store, and what was spent by the hour where days of usage can't tell it. */
export const budgets: Migration = {
  name: 'budgets',
  async up(db, { name, text, integer, tableEnd }) {
    await db.schema
      .createTable('budgets')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('subject', text)
      .addColumn('value', text)
      .addColumn('period', text, (column) => column.notNull())
      .addColumn('limit_nano_usd', integer, (column) => column.notNull())
      .addColumn('mode', text, (column) => column.notNull())
      .addColumn('thresholds', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('budgets_pkey', ['account_id', 'id'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('budget_hours')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('budget_id', text, (column) => column.notNull())
      .addColumn('value', text, (column) => column.notNull())
      .addColumn('hour_ms', integer, (column) => column.notNull())
      .addColumn('cost_nano_usd', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('budget_hours_pkey', ['account_id', 'budget_id', 'value', 'hour_ms'])
      // Rows change every second: room on each page of PostgreSQL spares the index.
      .modifyEnd(name === 'postgres' ? sql`with (fillfactor = 70)` : sql`${tableEnd}, without rowid`)
      .execute();
    await db.schema.createIndex('budget_hours_by_hour').on('budget_hours').column('hour_ms').execute();
  },
};
