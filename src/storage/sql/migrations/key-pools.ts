import type { Migration } from '../migrate.ts';

/** Several keys of an account for one provider. The key that is there becomes the first. */
export const keyPools: Migration = {
  name: 'key-pools',
  async up(db, { text, integer, bytes, tableEnd }) {
    // Keys that earlier builds store get these defaults, too.
    const columns = { id: [text, 'first'], name: [text, ''], weight: [integer, 1] } as const;
    for (const [name, [type, value]] of Object.entries(columns))
      await db.schema
        .alterTable('provider_keys')
        .addColumn(name, type, (column) => column.notNull().defaultTo(value))
        .execute();
    const first = ['account_id', 'provider'] as const;
    // Earlier builds delete all keys of a provider by its first.
    await db.schema
      .createTable('further_provider_keys')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('provider', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('weight', integer, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addColumn('hint', text)
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('further_provider_keys_of_account', [...first, 'id'])
      .addForeignKeyConstraint(
        'further_provider_keys_with_first',
        [...first],
        'provider_keys',
        [...first],
        (key) => key.onDelete('cascade'),
      )
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('further_provider_keys_by_seal')
      .on('further_provider_keys')
      .column('sealed_by')
      .execute();
  },
};
