import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createAccountEraser } from '../src/gateway/erase-steps.ts';
import { systemClock } from '../src/lib/clock.ts';
import { exportedTables, unexportedTables } from '../src/storage/sql/exported-tables.ts';
import { openEmptyDatabase } from '../src/testing/empty-database.ts';
import { someMember } from './conformance/database/samples.ts';
import { cleanUp } from './support/clean-up.ts';
import { emptyFolder } from './support/weir-process.ts';

/** What stays of an account that was erased, and why. */
const keptTables: Readonly<Record<string, string>> = {
  credit_entries: 'the operator’s books',
  credit_balances: 'the operator’s books',
  credit_payments: 'the operator’s books',
  recharges: 'an open one has a charge in progress',
  deleted_accounts: 'so that a restored backup does not bring it back',
  erasures: 'more passes follow',
};

const ownerColumns = ['account_id', 'chain', 'owner', 'scope'];

/** The tables with rows of accounts, by the column that says whose a row is. */
async function openAccountTables(t: TestContext) {
  const folder = emptyFolder(t);
  const database = await openEmptyDatabase(folder);
  cleanUp(t, () => database.close());
  const beside = new DatabaseSync(join(folder, 'weir.db'));
  cleanUp(t, () => beside.close());
  const names = beside.prepare("select name from sqlite_schema where type = 'table'").all();
  const tables = names.map(({ name }) => ({
    table: String(name),
    columns: beside.prepare(`pragma table_info("${String(name)}")`).all(),
  }));
  return {
    ...{ database, beside },
    tables: tables.flatMap(({ table, columns }) => {
      const owner = ownerColumns.find((column) => columns.some(({ name }) => name === column));
      return owner === undefined ? [] : [{ table, columns, owner }];
    }),
  };
}

test('every table with rows of accounts is exported, or has a reason why it is not', async (t) => {
  const { tables } = await openAccountTables(t);
  const exported = new Set<string>(exportedTables.map(({ table }) => table));
  // The account itself has its id in another column.
  const expected = [...tables.map(({ table }) => table), 'users'].sort();
  assert.deepEqual([...new Set([...exported, ...Object.keys(unexportedTables)])].sort(), expected);
  assert.deepEqual(
    Object.keys(unexportedTables).filter((table) => exported.has(table)),
    [],
  );
});

test('every table with rows of accounts is erased, or has a reason why it is not', async (t) => {
  const { database, beside, tables } = await openAccountTables(t);
  const member = someMember();
  assert.ok(await database.identities.add(member));
  const { identity, account } = member;
  const nameIn = (owner: string) => (/scope|owner/.test(owner) ? `account:${account.id}` : account.id);
  const countIn = ({ table, owner }: { readonly table: string; readonly owner: string }) => {
    const counted = beside
      .prepare(`select count(*) as rows from "${table}" where ${owner} = ?`)
      .get(nameIn(owner));
    return Number(counted?.rows);
  };
  for (const { table, columns, owner } of tables) {
    const values = columns.map(({ name, type, notnull }) => {
      if (name === owner) return nameIn(owner);
      if (notnull === 0) return null;
      if (name === 'state') return 'open';
      return type === 'TEXT' ? 'x' : type === 'BLOB' ? new Uint8Array(1) : 1;
    });
    // A deletion in progress is made by the account’s own.
    if (table === 'erasures' || table === 'deleted_accounts') continue;
    beside
      .prepare(`insert or ignore into "${table}" values (${values.map(() => '?').join(', ')})`)
      .run(...values);
    assert.ok(countIn({ table, owner }) > 0, table);
  }
  const erasure = {
    ...{ accountId: account.id, identityId: identity.id, passwordHash: identity.passwordHash },
    isRepeated: true,
  } as const;
  assert.equal(await database.accounts.erase(erasure, 0), 'erased');
  const eraser = createAccountEraser({
    stores: { database, clock: systemClock, erase: async () => undefined },
    modules: new Map(),
    embeddingsPart: {
      vectors: {
        vectors: () => assert.fail(),
        forget: (scope) => database.vectors.forget({ scope }),
      },
    },
    log: { error: ({ err }: { readonly err?: unknown }) => assert.fail(String(err)) },
    deleteDue: async () => undefined,
  });
  await eraser.eraseDue();
  await eraser.close();
  const left = tables.filter((one) => countIn(one) > 0).map(({ table }) => table);
  assert.deepEqual(left.sort(), Object.keys(keptTables).sort());
});
