import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Recharge } from '../../../src/kernel/ports/billing.ts';
import type { Database } from '../../../src/kernel/ports/records.ts';
import { someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const most = { sinceMs: 0, recharges: 5 };
const due = { most, limit: 5 };

/** An account that wants credits. */
async function addAccountDueForRecharge({ identities, billing }: Database): Promise<string> {
  const member = someMember({ tier: 'pro' });
  await identities.add(member);
  await billing.linkCustomer(member.account.id, `cus_${member.account.id}`);
  await billing.setAutoRecharge(member.account.id, {
    enabled: true,
    threshold: 100,
    amount: 50_000,
    reason: null,
  });
  return member.account.id;
}

function someRecharge(accountId: string, given: Partial<Recharge> = {}): Recharge {
  return {
    id: `rch_${randomUUID()}`,
    accountId,
    customerId: 'cus_1',
    method: 'pm_1',
    credits: 50_000,
    atMs: 10,
    untilMs: 20,
    ...given,
  };
}

export function rechargesConformance(setUpDatabase: SetUpDatabase): void {
  describe('recharges', () => {
    test('an account has one at a time, wherever it is begun', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database.recharges, (await open()).recharges];
      const id = await addAccountDueForRecharge(database);
      const opened = await Promise.all(
        Array.from({ length: 10 }, (_, at) => both[at % 2]?.open(someRecharge(id), most)),
      );
      assert.equal(opened.filter((isOpen) => isOpen).length, 1);
      assert.deepEqual(await database.recharges.due({ ...due, nowMs: 10 }), []);
    });

    test('it is begun only where the account wants it, for what it wants, and not too often', async (t) => {
      const { database } = await setUpDatabase(t);
      const { recharges, billing, credits } = database;
      const id = await addAccountDueForRecharge(database);
      assert.deepEqual(await recharges.due({ ...due, nowMs: 10 }), [id]);
      assert.equal(await recharges.open(someRecharge(id, { credits: 60_000 }), most), false);
      for (const number of [1, 2]) {
        const recharge = someRecharge(id, { atMs: number });
        assert.equal(await recharges.open(recharge, { sinceMs: 0, recharges: 2 }), true);
        await credits.recordPurchase({
          intentId: `pi_${number}`,
          accountId: id,
          credits: 1,
          rechargeId: recharge.id,
          atMs: 3,
        });
      }
      assert.equal(await recharges.open(someRecharge(id), { sinceMs: 0, recharges: 2 }), false);
      const few = { sinceMs: 0, recharges: 2 };
      assert.deepEqual(await recharges.due({ ...due, nowMs: 10, most: few }), []);
      assert.deepEqual(await recharges.due({ ...due, nowMs: 10, accountId: id }), [id]);
      assert.equal(await recharges.open(someRecharge(id), { sinceMs: 1, recharges: 2 }), true);

      const other = await addAccountDueForRecharge(database);
      await billing.backOff(other, 15);
      assert.deepEqual(await recharges.due({ ...due, nowMs: 14 }), []);
      assert.deepEqual(await recharges.due({ ...due, nowMs: 15 }), [other]);
      await credits.recordPurchase({
        intentId: 'pi_9',
        accountId: other,
        credits: 100,
        rechargeId: undefined,
        atMs: 3,
      });
      assert.deepEqual(await recharges.due({ ...due, nowMs: 15 }), []);

      const ended = await addAccountDueForRecharge(database);
      const plan = { subscriptionId: 's', pastDueSinceMs: null, tier: 'pro', period: undefined } as const;
      await billing.applySubscription(ended, 0, { ...plan, tierEndsMs: 15 });
      assert.deepEqual(await recharges.due({ ...due, nowMs: 14 }), [ended]);
      assert.equal(await recharges.open(someRecharge(ended, { atMs: 15 }), most), false);
    });

    test('one that was left is taken over once, and not before its time', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database.recharges, (await open()).recharges];
      const recharge = someRecharge(await addAccountDueForRecharge(database));
      await database.recharges.open(recharge, most);
      assert.deepEqual(await database.recharges.takeOver({ nowMs: 19, untilMs: 30, most: 5 }), []);
      const taken = await Promise.all(both.map((one) => one.takeOver({ nowMs: 20, untilMs: 30, most: 5 })));
      assert.deepEqual(taken.flat(), [{ ...recharge, untilMs: 30 }]);
      await database.recharges.postpone(recharge.id, 40);
      assert.deepEqual(await database.recharges.takeOver({ nowMs: 39, untilMs: 50, most: 5 }), []);
      await database.recharges.abandon(recharge.id);
      assert.deepEqual(await database.recharges.takeOver({ nowMs: 40, untilMs: 50, most: 5 }), []);
      assert.equal(await database.recharges.decline(recharge.id, 'late'), false);
    });

    test('a decline switches recharging off in the same step', async (t) => {
      const { database } = await setUpDatabase(t);
      const { recharges, billing } = database;
      const id = await addAccountDueForRecharge(database);
      const recharge = someRecharge(id);
      await recharges.open(recharge, most);
      assert.equal(await recharges.decline(recharge.id, 'card declined'), true);
      assert.equal(await recharges.decline(recharge.id, 'again'), false);
      const { enabled, reason } = (await billing.get(id)).autoRecharge;
      assert.deepEqual([enabled, reason], [false, 'card declined']);
    });
  });
}
