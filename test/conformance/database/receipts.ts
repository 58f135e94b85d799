import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OwnedReceipt, Receipts } from '../../../src/kernel/ports/receipts.ts';
import { someReceipt } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function receiptsConformance(setUpDatabase: SetUpDatabase): void {
  describe('receipts', () => {
    test('a receipt comes back as the exact text that it was, also when it is added again', async (t) => {
      const { receipts } = (await setUpDatabase(t)).database;
      const receipt = someReceipt({ jws: 'eyJ.ünd.sig', accountId: 'ada' });
      await receipts.add([receipt, someReceipt()]);
      await receipts.add([{ ...receipt, jws: 'another', accountId: 'eve' }, someReceipt()]);
      assert.deepEqual(await receipts.find(receipt.id), receipt);
      assert.equal(await receipts.find('nothing'), undefined);
    });

    test('no receipt or key can be changed, replaced or deleted', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const receipt = someReceipt();
      const key = { id: 'k1', jwk: '{}', createdAtMs: 1 };
      await database.receipts.add([receipt]);
      await database.receipts.addKey(key);
      await database.receipts.addKey({ ...key, jwk: '{"x":1}' });
      for (const statement of [
        "update receipts set jws = 'forged'",
        `update receipts set created_at_ms = 1 where receipt_id = '${receipt.id}'`,
        'delete from receipts',
        "update receipt_keys set jwk = 'forged'",
        'delete from receipt_keys',
      ])
        await assert.rejects(execute(statement), /never changed or deleted/, statement);
      const replaced = `receipts values ('${receipt.id}', null, 'private', 1, 'forged')`;
      // Each database has a way of its own to write over a row; both refuse or ignore it.
      await execute(`insert or replace into ${replaced}`).catch(() => undefined);
      await execute('truncate receipts').catch(() => undefined);
      assert.deepEqual(await database.receipts.find(receipt.id), receipt);
      assert.deepEqual(await database.receipts.keys(), [key]);
    });

    test('whose it is can be forgotten while it stays', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const receipt = someReceipt({ accountId: 'ada' });
      await database.receipts.add([receipt]);
      await execute("delete from receipt_owners where account_id = 'ada'");
      assert.deepEqual(await database.receipts.find(receipt.id), { ...receipt, accountId: null });
      assert.deepEqual(await idsOf(database.receipts, 'ada'), []);
    });

    test('those of a session are in order of time and id', async (t) => {
      const { receipts } = (await setUpDatabase(t)).database;
      const times = [3, 1, 2, 1, 3];
      const all = times.map((createdAtMs) => someReceipt({ sessionRef: 's', createdAtMs }));
      await receipts.add(all);
      await receipts.add([someReceipt({ sessionRef: 'another' }), someReceipt({ sessionRef: null })]);
      const expected = [...all].sort(newestFirst).reverse();
      assert.deepEqual(
        (await receipts.ofSession('s')).map(({ id }) => id),
        expected.map(({ id }) => id),
      );
      assert.equal(await receipts.countOfSession('s'), 5);
      assert.equal(await receipts.countOfSession('none'), 0);
    });

    test('an account has its own and what it claimed, page by page, the newest first', async (t) => {
      const { receipts } = (await setUpDatabase(t)).database;
      const own = Array.from({ length: 7 }, (_, at) =>
        someReceipt({ accountId: 'ada', createdAtMs: at % 3, sessionRef: null, visibility: 'private' }),
      );
      const claimed = Array.from({ length: 5 }, (_, at) =>
        someReceipt({ sessionRef: 's', createdAtMs: at % 2 }),
      );
      const others = [someReceipt({ accountId: 'eve' }), someReceipt({ sessionRef: 't' })];
      await receipts.add([...own, ...claimed, ...others]);
      await receipts.claim({ sessionId: 'id', sessionRef: 's', accountId: 'ada', claimedAtMs: 5 });
      const expected = [...own, ...claimed].sort(newestFirst).map(({ id }) => id);
      assert.deepEqual(await idsOf(receipts, 'ada'), expected);
      assert.deepEqual(await idsOf(receipts, 'eve'), [others[0]?.id]);
      assert.equal((await idsOf(receipts, undefined)).length, 14);
    });

    test('of many accounts that claim a session one gets it, and the others learn which', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database.receipts, (await open()).receipts];
      const claims = Array.from({ length: 10 }, (_, at) =>
        both[at % 2]?.claim({ sessionId: 's', sessionRef: 'r', accountId: `${at}`, claimedAtMs: at }),
      );
      const [first, ...rest] = await Promise.all(claims);
      for (const other of rest) assert.deepEqual(other, first);
      assert.equal(first?.claimedAtMs, Number(first?.accountId));
    });

    test('keys are listed the newest first, retired ones too', async (t) => {
      const { receipts } = (await setUpDatabase(t)).database;
      for (const [id, createdAtMs] of [
        ['a', 1],
        ['c', 3],
        ['b', 2],
      ] as const)
        await receipts.addKey({ id, jwk: `"${id}"`, createdAtMs });
      assert.deepEqual(
        (await receipts.keys()).map(({ id }) => id),
        ['c', 'b', 'a'],
      );
    });
  });
}

/** All of them, three at a time. */
async function idsOf(receipts: Receipts, accountId: string | undefined): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: Pick<OwnedReceipt, 'id' | 'createdAtMs'> | undefined; ; ) {
    const page = await receipts.page({ accountId, after, limit: 3 });
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
    after = page.at(-1);
  }
}

function newestFirst(one: OwnedReceipt, other: OwnedReceipt): number {
  return other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);
}
