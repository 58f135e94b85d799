import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CreditReclaim, Credits, Purchase } from '../../../src/kernel/ports/billing.ts';
import type { SetUpDatabase } from './set-up.ts';

function somePurchase(given: Partial<Purchase> = {}): Purchase {
  return { intentId: 'pi_1', accountId: 'a', credits: 1000, rechargeId: undefined, atMs: 1, ...given };
}

function someReclaim(given: Partial<CreditReclaim> = {}): CreditReclaim {
  return { intentId: 'pi_1', revision: 0, credits: 1000, kind: 'refund', atMs: 2, ...given };
}

async function readEntries(credits: Credits, accountId = 'a') {
  const entries = await credits.entries({ accountId, after: undefined, limit: 100 });
  return entries.toReversed().map(({ kind, credits: sum, note }) => [kind, sum, note]);
}

export function creditsConformance(setUpDatabase: SetUpDatabase): void {
  describe('the ledger of credits', () => {
    test('a payment buys once, however often and wherever it is reported', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const bought = await Promise.all(
        Array.from({ length: 10 }, (_, at) => both[at % 2]?.credits.recordPurchase(somePurchase())),
      );
      assert.equal(bought.filter((isNew) => isNew).length, 1);
      assert.equal(await database.credits.balance('a'), 1000);
      assert.equal(await database.credits.balance('somebody else'), 0);
      assert.deepEqual(await readEntries(database.credits), [['purchase', 1000, null]]);
    });

    test('calls past a cap are paid for in the step that counts them, and no others', async (t) => {
      const { credits, usage } = (await setUpDatabase(t)).database;
      await credits.recordPurchase(somePurchase());
      const batch = { id: 'one', atMs: 5, days: [] };
      const calls = { accountId: 'a', periodStartMs: 1, calls: 8 };
      assert.deepEqual(await usage.add({ ...batch, counted: [{ ...calls, paidPast: 10 }] }), []);
      const second = { ...batch, id: 'two', counted: [{ ...calls, paidPast: 10 }] };
      assert.deepEqual(await usage.add(second), ['a']);
      assert.equal(await usage.add(second), undefined);
      assert.deepEqual(await credits.standing('a', 1), { calls: 16, credits: 1000 - 6 * 25 });
      await usage.add({ ...batch, id: 'three', counted: [calls] });
      assert.deepEqual(await credits.standing('a', 1), { calls: 24, credits: 850 });
      assert.deepEqual(await credits.standing('nobody', 1), { calls: 0, credits: 0 });
      assert.deepEqual((await readEntries(credits)).at(-1), ['overage', -150, '6 calls']);
    });

    test('nothing takes more than there is, and the missing part is returned', async (t) => {
      const { credits, usage } = (await setUpDatabase(t)).database;
      await credits.recordPurchase(somePurchase({ credits: 60 }));
      const counted = [{ accountId: 'a', periodStartMs: 1, calls: 3, paidPast: 0 }];
      await usage.add({ id: 'one', atMs: 2, days: [], counted });
      assert.equal(await credits.balance('a'), 0);
      assert.equal(await credits.reclaim(someReclaim({ credits: 60, atMs: 3 })), 0);
      assert.deepEqual(await readEntries(credits), [
        ['purchase', 60, null],
        ['overage', -60, '3 calls; 15 credits for them were gone'],
        ['refund', 0, '60 of 60 credits had been spent already'],
      ]);
      assert.deepEqual(await credits.findInconsistencies(), []);
    });

    test('what was given back is taken once, and given again where the bank decides so', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const { credits } = database;
      await credits.recordPurchase(somePurchase());
      await credits.recordPurchase(somePurchase({ intentId: 'pi_2', credits: 100 }));
      const both = [credits, (await open()).credits];
      const taken = await Promise.all(
        Array.from({ length: 6 }, (_, at) => both[at % 2]?.reclaim(someReclaim({ credits: 400 }))),
      );
      assert.deepEqual(
        taken.filter((sum) => sum !== undefined),
        [400],
      );
      assert.equal(await credits.reclaim(someReclaim({ revision: 1, credits: 400 })), 0);
      assert.equal(
        await credits.reclaim(someReclaim({ revision: 1, credits: 5000, kind: 'dispute', atMs: 3 })),
        600,
      );
      assert.equal(await credits.balance('a'), 100);
      assert.equal(
        await credits.reclaim(someReclaim({ revision: 2, credits: 400, kind: 'dispute', atMs: 4 })),
        -600,
      );
      assert.equal(await credits.reclaim(someReclaim({ intentId: 'pi_3' })), undefined);
      assert.deepEqual((await readEntries(credits)).slice(2), [
        ['refund', -400, null],
        ['dispute', -600, null],
        ['reinstated', 600, null],
      ]);
      assert.deepEqual(
        (await credits.payments('a')).map(({ intentId, reclaimed, taken: sum }) => [
          intentId,
          reclaimed,
          sum,
        ]),
        [
          ['pi_1', 400, 400],
          ['pi_2', 0, 0],
        ],
      );
    });

    test('what had been spent and was never taken does not come back', async (t) => {
      const { credits, usage } = (await setUpDatabase(t)).database;
      await credits.recordPurchase(somePurchase());
      const counted = [{ accountId: 'a', periodStartMs: 1, calls: 30, paidPast: 0 }];
      await usage.add({ id: 'one', atMs: 2, days: [], counted });
      assert.equal(await credits.reclaim(someReclaim({ kind: 'dispute' })), 250);
      assert.equal(await credits.reclaim(someReclaim({ revision: 1, credits: 0, kind: 'dispute' })), -250);
      assert.equal(await credits.balance('a'), 250);
    });

    test('no entry can be changed, replaced or deleted, and one that is added by hand is detected', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const { credits } = database;
      await credits.recordPurchase(somePurchase());
      for (const statement of ['update credit_entries set credits = 1', 'delete from credit_entries'])
        await assert.rejects(execute(statement), /never changed or deleted/, statement);
      assert.deepEqual(await credits.findInconsistencies(), []);
      await assert.rejects(execute('update credit_balances set credits = -1'));
      await execute('update credit_balances set credits = 999');
      assert.deepEqual(await credits.findInconsistencies(), [
        'account a has 999 credits, but its entries add up to 1000',
      ]);
      await execute(
        "insert into credit_entries values ('x', 'x', 'account', 'a', -1, 'refund', '', null, 1)",
      );
      assert.deepEqual(await credits.findInconsistencies(), ["the entries of x don't add up to 0"]);
    });

    test('entries come page by page, the newest first', async (t) => {
      const { credits } = (await setUpDatabase(t)).database;
      for (const number of [1, 2, 3])
        await credits.recordPurchase(
          somePurchase({ intentId: `pi_${number}`, credits: number, atMs: number }),
        );
      const [newest, second] = await credits.entries({ accountId: 'a', after: undefined, limit: 2 });
      assert.deepEqual([newest?.credits, second?.credits], [3, 2]);
      const rest = await credits.entries({ accountId: 'a', after: second, limit: 2 });
      assert.deepEqual(
        rest.map((entry) => entry.credits),
        [1],
      );
    });
  });
}
