import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { createPostgres, freshPostgres } from '../../../test/support/stores.ts';
import { databaseConformance } from '../database-conformance.ts';
import { openPostgres } from './postgres.ts';

/** With all tables, which take longer to make than most tests. */
let filled: Awaited<ReturnType<typeof createPostgres>> | undefined;
before(async () => {
  filled = await createPostgres();
  await (await openPostgres({ url: filled.url })).close();
});
after(() => filled?.drop());

databaseConformance(
  'a database in PostgreSQL',
  async (t) => home(await freshPostgres(t)),
  async (t: TestContext) => home(await freshPostgres(t, filled?.name)),
);

function home(url: string) {
  return {
    open: () => openPostgres({ url }),
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
