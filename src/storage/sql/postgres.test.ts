import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { databaseConformance } from '../../../test/conformance/database.ts';
import { cleanUp } from '../../../test/support/clean-up.ts';
import { createPostgres, freshPostgres } from '../../../test/support/stores.ts';
import { patientBounds } from '../../testing/empty-database.ts';
import { openPostgres } from './postgres.ts';

type PostgresFixture = Awaited<ReturnType<typeof createPostgres>>;

/** With all tables. To make one takes longer than most tests: they are emptied and used again. */
const made: PostgresFixture[] = [];
const free: PostgresFixture[] = [];
after(async () => {
  for (const database of made) await database.drop();
});

databaseConformance(
  'a database in PostgreSQL',
  async (t) => home(await freshPostgres(t)),
  async (t: TestContext) => home(await emptyPostgres(t)),
);

/** The address of a database that has its tables and nothing in them. */
async function emptyPostgres(t: TestContext): Promise<string> {
  const database = free.pop() ?? (await createPostgres(process.env.TEST_DATABASE_TEMPLATE));
  if (!made.includes(database)) made.push(database);
  cleanUp(t, async () => {
    await execute(database.url, empty);
    free.push(database);
  });
  return database.url;
}

/** Also of what may not be deleted, and whoever is still at it is cut off. */
const empty = `
  select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid();
  set session_replication_role = replica;
  do $$
  declare name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations' loop
      execute format('delete from %I', name);
    end loop;
  end $$`;

function home(url: string) {
  return {
    open: () => openPostgres({ url, bounds: patientBounds }),
    execute: (statement: string) => execute(url, statement),
  };
}

test('text is in order of its bytes in every column, whatever the server’s language is', async (t) => {
  const url = await freshPostgres(t);
  await (await openPostgres({ url })).close();
  const others = await execute(
    url,
    `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'`,
  );
  assert.deepEqual(others, []);
});

async function execute(connectionString: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
