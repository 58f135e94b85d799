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
import { limits } from '../limits.ts';
import type { SchemaTables } from './tables.ts';

/** The differences between SQLite and PostgreSQL. */
export interface SqlDialect
  extends Pick<Dialect, 'createAdapter' | 'createQueryCompiler' | 'createIntrospector'> {
  readonly name: 'sqlite' | 'postgres';
  /** Begins a transaction that writes. */
  readonly begin: string;
  /** Text sorted by bytes, the same in both. */
  readonly text: RawBuilder<unknown>;
  /** Integers up to 2^53. */
  readonly integer: RawBuilder<unknown>;
  /** Numbers with a fraction. */
  readonly real: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** The options after the columns of a new table. */
  readonly tableEnd: RawBuilder<unknown>;
  /** The time in Unix milliseconds. */
  readonly now: RawBuilder<number>;
  /** The size of the database in bytes. */
  readonly size: RawBuilder<number>;
  /** The sizes of tables with their indexes, as `name` and `bytes`; a table may have several rows. Reads the whole file in SQLite. */
  readonly tableSizes: RawBuilder<unknown>;
  /** Locks the schema against other migrations until this transaction ends. */
  lockSchema(db: Kysely<SchemaTables>): Promise<void>;
  /** Whether a migration failed because another transaction held a table lock for too long. */
  isLockTimeout(failure: unknown): boolean;
  /** Makes the database reject updates and deletions of the table's rows. */
  makeAppendOnly(db: Kysely<SchemaTables>, appendOnlyTable: AppendOnlyTable): Promise<void>;
}

interface AppendOnlyTable {
  readonly table: string;
  /** The primary key. */
  readonly key: string;
}

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  // A transaction that reads before it writes would fail if another wrote in between.
  begin: 'begin immediate',
  text: sql`text`,
  integer: sql`integer`,
  real: sql`real`,
  bytes: sql`blob`,
  tableEnd: sql`strict`,
  now: sql`cast(unixepoch('subsec') * 1000 as integer)`,
  size: sql`(select page_count * page_size from pragma_page_count(), pragma_page_size())`,
  tableSizes: sql`select coalesce(sqlite_schema.tbl_name, dbstat.name) as name, dbstat.pgsize as bytes
    from dbstat left join sqlite_schema on sqlite_schema.name = dbstat.name where dbstat.aggregate = true`,
  createAdapter: () => new PooledSqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  // The transaction already holds the only lock.
  lockSchema: async () => undefined,
  isLockTimeout: () => false,
  async makeAppendOnly(db, { table, key }) {
    const [rows, id] = [sql.table(table), sql.ref(key)];
    const reject = sql`begin select raise(abort, ${sql.lit(appendOnlyMessage(table))}); end`;
    await sql`create trigger ${sql.id(`${table}_unchanged`)} before update on ${rows} ${reject}`.execute(db);
    await sql`create trigger ${sql.id(`${table}_undeleted`)} before delete on ${rows} ${reject}`.execute(db);
    // `insert or replace` fires neither of the two.
    await sql`create trigger ${sql.id(`${table}_unreplaced`)} before insert on ${rows}
      when exists (select 1 from ${rows} where ${id} = new.${id})
      begin select raise(ignore); end`.execute(db);
  },
};

/** An arbitrary advisory lock id that no other program uses in this database. */
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
  now: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  size: sql`pg_database_size(current_database())`,
  tableSizes: sql`select coalesce(parent.relname, pg_class.relname) as name, pg_total_relation_size(pg_class.oid) as bytes
    from pg_class join pg_namespace on pg_namespace.oid = pg_class.relnamespace
      left join pg_inherits on pg_inherits.inhrelid = pg_class.oid left join pg_class as parent on parent.oid = pg_inherits.inhparent
    where pg_class.relkind = 'r' and pg_namespace.nspname = current_schema()`,
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
    const body = sql.lit(`begin raise exception '${appendOnlyMessage(table)}'; end`);
    await sql`create function ${refuse}() returns trigger language plpgsql as ${body}`.execute(db);
    await sql`create trigger ${sql.id(`${table}_unchanged`)} before update or delete or truncate
      on ${sql.table(table)} for each statement execute function ${refuse}()`.execute(db);
  },
};

function appendOnlyMessage(table: string): string {
  return `rows of ${table} are never changed or deleted`;
}

/** Kysely would wait for the single connection without limit, and forever after a failed attempt; our pool doesn't. */
class PooledSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
