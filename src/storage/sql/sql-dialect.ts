import type { Dialect, Kysely, RawBuilder } from 'kysely';
import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type { SchemaTables } from './tables.ts';

/** What SQLite and PostgreSQL don't say in the same words. */
export interface SqlDialect
  extends Pick<Dialect, 'createAdapter' | 'createQueryCompiler' | 'createIntrospector'> {
  readonly name: 'sqlite' | 'postgres';
  /** Begins a transaction that will write. */
  readonly begin: string;
  /** Text in order of its bytes, so that both sort alike. */
  readonly text: RawBuilder<unknown>;
  /** Whole numbers up to 2^53. */
  readonly integer: RawBuilder<unknown>;
  /** Numbers with a fraction. */
  readonly real: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** What stands behind the columns of a new table. */
  readonly tableEnd: RawBuilder<unknown>;
  /** Waits for whoever is changing the schema, until this transaction ends. */
  lockSchema(db: Kysely<SchemaTables>): Promise<void>;
  /** Whether somebody else had a table for longer than a change of the schema waits for it. */
  isLockTimeout(failure: unknown): boolean;
  /** From now on its rows can be added, and neither changed nor deleted, by whoever has the database open. */
  makeAppendOnly(db: Kysely<SchemaTables>, appendOnlyTable: AppendOnlyTable): Promise<void>;
}

interface AppendOnlyTable {
  readonly table: string;
  /** Its primary key. */
  readonly key: string;
}

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  // A transaction that reads first and then writes fails where another has written in between.
  begin: 'begin immediate',
  text: sql`text`,
  integer: sql`integer`,
  real: sql`real`,
  bytes: sql`blob`,
  tableEnd: sql`strict`,
  createAdapter: () => new PooledSqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  // The transaction has the only lock there is.
  lockSchema: async () => undefined,
  isLockTimeout: () => false,
  async makeAppendOnly(db, { table, key }) {
    const [rows, id] = [sql.table(table), sql.ref(key)];
    const refused = sql`begin select raise(abort, ${sql.lit(appendOnlyMessage(table))}); end`;
    await sql`create trigger ${sql.id(`${table}_unchanged`)} before update on ${rows} ${refused}`.execute(db);
    await sql`create trigger ${sql.id(`${table}_undeleted`)} before delete on ${rows} ${refused}`.execute(db);
    // What replaces a row on its way in fires neither of the two.
    await sql`create trigger ${sql.id(`${table}_unreplaced`)} before insert on ${rows}
      when exists (select 1 from ${rows} where ${id} = new.${id})
      begin select raise(ignore); end`.execute(db);
  },
};

/** Any number will do that no other program locks in the same database. */
const schemaLock = 7_295_834_710;
const lockNotAvailable = '55P03';

export const postgresDialect: SqlDialect = {
  name: 'postgres',
  begin: 'begin',
  text: sql`text collate "C"`,
  integer: sql`bigint`,
  real: sql`double precision`,
  bytes: sql`bytea`,
  tableEnd: sql``,
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  lockSchema: async (db) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(db);
    await sql`set local lock_timeout = ${sql.lit(limits.migrationLockMs)}`.execute(db);
  },
  isLockTimeout: (failure) =>
    failure instanceof Error && 'code' in failure && failure.code === lockNotAvailable,
  async makeAppendOnly(db, { table }) {
    const refuse = sql.id(`${table}_refuse`);
    const said = sql.lit(`begin raise exception '${appendOnlyMessage(table)}'; end`);
    await sql`create function ${refuse}() returns trigger language plpgsql as ${said}`.execute(db);
    await sql`create trigger ${sql.id(`${table}_unchanged`)} before update or delete or truncate
      on ${sql.table(table)} for each statement execute function ${refuse}()`.execute(db);
  },
};

function appendOnlyMessage(table: string): string {
  return `rows of ${table} are never changed or deleted`;
}

/** Kysely would queue for the one connection without end, and for ever after an attempt that failed; our links don't. */
class PooledSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
