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
import type { SchemaTables } from './tables.ts';

/** What SQLite and PostgreSQL don't say in the same words. */
export interface Flavour
  extends Pick<Dialect, 'createAdapter' | 'createQueryCompiler' | 'createIntrospector'> {
  readonly name: 'sqlite' | 'postgres';
  /** Begins a transaction that will write. */
  readonly begin: string;
  /** Text in order of its bytes, so that both sort alike. */
  readonly text: RawBuilder<unknown>;
  /** Whole numbers up to 2^53. */
  readonly integer: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** What stands behind the columns of a new table. */
  readonly tableEnd: RawBuilder<unknown>;
  /** Waits for whoever is changing the schema, until this transaction ends. */
  lockSchema(db: Kysely<SchemaTables>): Promise<void>;
}

export const sqlite: Flavour = {
  name: 'sqlite',
  // A transaction that reads first and then writes fails where another has written in between.
  begin: 'begin immediate',
  text: sql`text`,
  integer: sql`integer`,
  bytes: sql`blob`,
  tableEnd: sql`strict`,
  createAdapter: () => new QueueingAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  // The transaction has the only lock there is.
  lockSchema: async () => undefined,
};

/** Any number will do that no other program locks in the same database. */
const schemaLock = 7_295_834_710;

export const postgres: Flavour = {
  name: 'postgres',
  begin: 'begin',
  text: sql`text collate "C"`,
  integer: sql`bigint`,
  bytes: sql`bytea`,
  tableEnd: sql``,
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  lockSchema: async (db) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(db);
  },
};

/** Kysely would queue for the one connection without end, and for ever after an attempt that failed; our links don't. */
class QueueingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
