import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { freshPostgres } from '../../../test/support/stores.ts';
import { databaseConformance } from '../database-conformance.ts';
import { openPostgres } from './postgres.ts';

databaseConformance('a database in PostgreSQL', async (t) => {
  const url = await freshPostgres(t);
  return { open: () => openPostgres({ url }), execute: (statement) => execute(url, statement) };
});

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
