import type { Migration } from '../migrate.ts';
import { copyIntoCollections } from './collection-copies.ts';

const textColumns = ['text1', 'text2', 'text3', 'text4'];
const integerColumns = ['integer1', 'integer2'];
const owner = ['scope', 'module', 'collection'] as const;

/** Entries of modules with indexed fields. */
export const collections: Migration = {
  name: 'collections',
  async up(db, dialect) {
    const { text, integer, bytes, tableEnd } = dialect;
    await db.schema
      .createTable('collection_entries')
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('collection', text, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('value', text)
      .addColumn('sealed_by', text)
      .addColumn('sealed', bytes)
      .addColumn('bytes', integer, (column) => column.notNull())
      .addColumn('version', integer, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer)
      .addColumn('text1', text)
      .addColumn('text2', text)
      .addColumn('text3', text)
      .addColumn('text4', text)
      .addColumn('integer1', integer)
      .addColumn('integer2', integer)
      .addPrimaryKeyConstraint('collection_entries_by_key', [...owner, 'key'])
      .modifyEnd(tableEnd)
      .execute();

    const index = (name: string) =>
      db.schema.createIndex(`collection_entries_by_${name}`).on('collection_entries');
    // In the order of the keys, and of the first integer.
    for (const name of textColumns) {
      await index(name)
        .columns([...owner, name, 'key'])
        .where(name, 'is not', null)
        .execute();
      await index(`${name}_and_integer`)
        .columns([...owner, name, 'integer1', 'key'])
        .where(name, 'is not', null)
        .where('integer1', 'is not', null)
        .execute();
    }
    for (const name of integerColumns)
      await index(name)
        .columns([...owner, name, 'key'])
        .where(name, 'is not', null)
        .execute();
    await index('age')
      .columns([...owner, 'created_at_ms', 'key'])
      .execute();
    await index('end').columns(['expires_at_ms']).where('expires_at_ms', 'is not', null).execute();

    await db.schema
      .createTable('collection_counters')
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('module', text, (column) => column.notNull())
      .addColumn('collection', text, (column) => column.notNull())
      .addColumn('entries', integer, (column) => column.notNull())
      .addColumn('bytes', integer, (column) => column.notNull())
      .addColumn('revision', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('collection_counters_by_name', [...owner])
      .modifyEnd(tableEnd)
      .execute();
    await copyIntoCollections(db, dialect);
  },
};
