import { Kysely, sql } from 'kysely';
import { Sealer } from '../accounts/sealer.ts';
import type { CollectionTable } from '../kernel/ports/collection-table.ts';
import type { KeyValueStores, ModuleStores } from '../kernel/ports/module-store.ts';
import type { VectorTable } from '../kernel/ports/vectors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { ModuleStoresWithCollections } from '../storage/module-stores.ts';
import { SqlCollectionTable } from '../storage/sql/collection-table.ts';
import { createKyselyDialect } from '../storage/sql/kysely-dialect.ts';
import { migrate } from '../storage/sql/migrate.ts';
import { migrations } from '../storage/sql/migrations/index.ts';
import { SqlModuleStores } from '../storage/sql/module-stores.ts';
import { unpack } from '../storage/sql/packed-rows.ts';
import { defaultPoolBounds } from '../storage/sql/sql-database.ts';
import { sqliteDialect } from '../storage/sql/sql-dialect.ts';
import { SqlitePool } from '../storage/sql/sqlite-pool.ts';
import type { SqliteSession } from '../storage/sql/sqlite-session.ts';
import type { SchemaTables, Tables } from '../storage/sql/tables.ts';
import { SqlVectorTable } from '../storage/sql/vector-table.ts';
import { openSessionHere, runHere } from './sqlite-here.ts';

export interface ModuleTables {
  readonly modules: KeyValueStores;
  readonly collections: CollectionTable;
  /** Both of them, as modules use them. */
  readonly stores: ModuleStores;
  readonly vectors: VectorTable;
  /** Runs a statement, for a state that would take too many calls to reach. */
  execute(statement: string): Promise<void>;
}

/**
 * The tables of modules in an SQLite database of their own, in memory. It runs on this thread and is opened with the
 * first query, so there is nothing to wait for and nothing to close.
 */
export function createModuleTables(clock: Clock = systemClock): ModuleTables {
  const pool = createPool(async () => {
    const session = openSessionHere(inMemory);
    schema ??= readSchema();
    for (const statement of await schema) session.run({ sql: statement, parameters: [] });
    return session;
  });
  const db = new Kysely<Tables>({ dialect: createKyselyDialect(sqliteDialect, pool) });
  const [values, entries] = [new SqlModuleStores(db, clock), new SqlCollectionTable(db)];
  const sealer = new Sealer([Buffer.alloc(32, 'test')]);
  return {
    modules: values,
    collections: entries,
    stores: new ModuleStoresWithCollections({ values, entries, sealer, clock }),
    vectors: new SqlVectorTable(db),
    execute: async (statement) => void (await sql.raw(statement).execute(db)),
  };
}

/** Read once: the migrations take longer than most tests. */
let schema: Promise<readonly string[]> | undefined;

async function readSchema(): Promise<readonly string[]> {
  const session = openSessionHere(inMemory);
  const pool = createPool(async () => session);
  const db = new Kysely<SchemaTables>({ dialect: createKyselyDialect(sqliteDialect, pool) });
  await migrate(db, { dialect: sqliteDialect, migrations });
  const { rows } = unpack(
    session.run({
      sql: `select sql from sqlite_schema where sql is not null and name not like 'sqlite_%'`,
      parameters: [],
    }),
  );
  await pool.close();
  return rows.map((row) => String(Object(row).sql));
}

const inMemory = { file: ':memory:', bounds: defaultPoolBounds };

function createPool(open: () => Promise<SqliteSession>): SqlitePool {
  return new SqlitePool(inMemory, async () => runHere(await open()));
}
