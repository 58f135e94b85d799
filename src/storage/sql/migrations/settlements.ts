import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Payments that are being made, and which try of its challenge each is. */
export const settlements: Migration = {
  name: 'settlements',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .alterTable('payment_challenges')
      .addColumn('attempts', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('settlements')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('challenge_id', text, (column) => column.notNull())
      .addColumn('attempt', integer, (column) => column.notNull())
      .addColumn('intent', text)
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('until_ms', integer, (column) => column.notNull())
      .addColumn('outcome', text)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('settlements_left')
      .on('settlements')
      .column('until_ms')
      .where(sql.ref('outcome'), 'is', null)
      .execute();
    await db.schema.createIndex('settlements_by_time').on('settlements').column('at_ms').execute();
  },
};
