import { type Kysely, sql, type Transaction } from 'kysely';
import type { Flavour } from './flavour.ts';
import type { SchemaTables } from './tables.ts';

/** One step from a version of the schema to the next. */
export interface Migration {
  readonly name: string;
  up(db: Transaction<SchemaTables>, flavour: Flavour): Promise<void>;
}

/** Brings the schema up to date, all steps or none; whoever else does the same waits, and finds it done. */
export async function migrate(
  db: Kysely<SchemaTables>,
  flavour: Flavour,
  migrations: readonly Migration[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await flavour.lockSchema(trx);
    const version = await versionOf(trx, flavour);
    if (version > migrations.length)
      throw new Error(
        `the database has schema version ${version} and this Weir knows versions up to ${migrations.length}: start the newer Weir that made it`,
      );
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      await migration.up(trx, flavour);
      await trx
        .insertInto('schema_migrations')
        .values({ version: at + 1, name: migration.name })
        .execute();
    }
  });
}

async function versionOf(
  trx: Transaction<SchemaTables>,
  { integer, text, tableEnd }: Flavour,
): Promise<number> {
  await trx.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('version', integer, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute();
  const { version } = await trx
    .selectFrom('schema_migrations')
    .select(sql<number>`coalesce(max(version), 0)`.as('version'))
    .executeTakeFirstOrThrow();
  return version;
}
