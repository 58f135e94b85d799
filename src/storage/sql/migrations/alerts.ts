import type { Migration } from '../migrate.ts';

/** Webhooks, alerts that were raised, and messages that wait to be sent. */
export const alerts: Migration = {
  name: 'alerts',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema
      .createTable('webhooks')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('channel', text, (column) => column.notNull())
      .addColumn('events', text, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('disabled_at_ms', integer)
      .addColumn('disabled_reason', text)
      .addColumn('failing_since_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('webhooks_of_account').on('webhooks').column('account_id').execute();
    await db.schema
      .createTable('alerts')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('event', text, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('alerts_pkey', ['account_id', 'event', 'key'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema.createIndex('alerts_by_age').on('alerts').columns(['at_ms']).execute();
    await db.schema
      .createTable('alert_deliveries')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('webhook_id', text, (column) => column.notNull())
      .addColumn('message_id', text, (column) => column.notNull())
      .addColumn('type', text, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('attempts', integer, (column) => column.notNull())
      .addColumn('started_at_ms', integer, (column) => column.notNull())
      .addColumn('due_at_ms', integer)
      .addColumn('last_attempt_at_ms', integer)
      .addColumn('last_status', integer)
      .addColumn('last_error', text)
      .addColumn('delivered_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('alert_deliveries_due')
      .on('alert_deliveries')
      .columns(['due_at_ms', 'webhook_id'])
      .where('due_at_ms', 'is not', null)
      .execute();
    await db.schema
      .createIndex('alert_deliveries_of_webhook')
      .on('alert_deliveries')
      .columns(['webhook_id', 'at_ms', 'id'])
      .execute();
    await db.schema
      .createIndex('alert_deliveries_of_account')
      .on('alert_deliveries')
      .columns(['account_id', 'at_ms'])
      .execute();
    await db.schema.createIndex('alert_deliveries_by_age').on('alert_deliveries').column('at_ms').execute();
  },
};
