import type { Migration } from '../migrate.ts';

/** The audit log of accounts and of the instance. */
export const audit: Migration = {
  name: 'audit',
  async up(db, { text, integer, tableEnd }) {
    await db.schema
      .createTable('audit_chains')
      .addColumn('chain', text, (column) => column.primaryKey())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('signed', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('audit_entries')
      .addColumn('chain', text, (column) => column.notNull())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('event', text, (column) => column.notNull())
      .addColumn('actor', text, (column) => column.notNull())
      .addColumn('content', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_entries_pkey', ['chain', 'number'])
      .modifyEnd(tableEnd)
      .execute();
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(name).on('audit_entries').columns(columns);
    await index('audit_entries_by_id', ['chain', 'id']).unique().execute();
    await index('audit_entries_by_time', ['chain', 'at_ms', 'number']).execute();
    await index('audit_entries_by_event', ['chain', 'event', 'number']).execute();
    await index('audit_entries_by_actor', ['chain', 'actor', 'number']).execute();
    await db.schema
      .createTable('audit_values')
      .addColumn('chain', text, (column) => column.notNull())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('person', text, (column) => column.notNull())
      .addColumn('content', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_values_pkey', ['chain', 'number', 'person'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('audit_values_by_person')
      .on('audit_values')
      .columns(['person', 'chain', 'number'])
      .execute();
    await db.schema
      .createTable('audit_points')
      .addColumn('chain', text, (column) => column.notNull())
      .addColumn('number', integer, (column) => column.notNull())
      .addColumn('at_ms', integer, (column) => column.notNull())
      .addColumn('jws', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_points_pkey', ['chain', 'number'])
      .modifyEnd(tableEnd)
      .execute();
  },
};
