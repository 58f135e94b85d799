import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubscriptionState } from '../../../src/kernel/ports/billing.ts';
import { someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const subscriptionState: SubscriptionState = {
  subscriptionId: 'sub_1',
  pastDueSinceMs: null,
  tier: 'pro',
  period: { startMs: 1, endMs: 2 },
  tierEndsMs: 7,
};

export function billingConformance(setUpDatabase: SetUpDatabase): void {
  describe('billing accounts', () => {
    test('an account is one customer, the first that it was bound to', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const bound = await Promise.all(
        Array.from({ length: 10 }, (_, at) => both[at % 2]?.billing.linkCustomer('a', `cus_${at}`)),
      );
      const { customerId, subscriptionId, revision } = await database.billing.get('a');
      assert.ok(customerId !== null && bound.every((one) => one === customerId), `${bound}`);
      assert.deepEqual([subscriptionId, revision], [null, 0]);
      assert.equal((await database.billing.byCustomer(customerId))?.accountId, 'a');
      assert.equal(await database.billing.byCustomer('cus_of_nobody'), undefined);
      assert.equal(await database.billing.replaceCustomer('a', 'cus_of_nobody', 'cus_new'), customerId);
      assert.equal(await database.billing.replaceCustomer('a', customerId, 'cus_new'), 'cus_new');
    });

    test('its tier follows once for each revision, with all that comes with it', async (t) => {
      const { database } = await setUpDatabase(t);
      const { billing, identities, accounts } = database;
      const member = someMember();
      await identities.add(member);
      await billing.linkCustomer(member.account.id, 'cus_1');
      const followed = await Promise.all(
        [1, 2, 3].map(() => billing.applySubscription(member.account.id, 0, subscriptionState)),
      );
      assert.deepEqual(followed.toSorted(), [false, false, true]);
      assert.deepEqual(await accounts.byId(member.account.id), {
        ...member.account,
        tier: 'pro',
        period: subscriptionState.period,
        tierEndsMs: 7,
      });
      await billing.setTier(member.account.id, 'team');
      await billing.setOverage(member.account.id, true);
      assert.deepEqual(await accounts.byId(member.account.id), {
        ...member.account,
        tier: 'team',
        overage: true,
      });
    });

    test('news is known once it was noted, and forgotten when it is old', async (t) => {
      const { billing } = (await setUpDatabase(t)).database;
      await billing.recordEvent({ id: 'evt_1', atMs: 1, forgetMs: 0 });
      await billing.recordEvent({ id: 'evt_1', atMs: 2, forgetMs: 0 });
      assert.equal(await billing.hasEvent('evt_1'), true);
      await billing.recordEvent({ id: 'evt_2', atMs: 9, forgetMs: 5 });
      assert.deepEqual([await billing.hasEvent('evt_1'), await billing.hasEvent('evt_2')], [false, true]);
    });

    test('recharging switches itself off once, and says why until somebody sets it', async (t) => {
      const { billing } = (await setUpDatabase(t)).database;
      const wanted = { enabled: true, threshold: 5, amount: 50_000, reason: null };
      await billing.setAutoRecharge('a', wanted);
      assert.equal(await billing.stopAutoRecharge('a', 'declined'), true);
      assert.equal(await billing.stopAutoRecharge('a', 'again'), false);
      assert.deepEqual((await billing.get('a')).autoRecharge, {
        ...wanted,
        enabled: false,
        reason: 'declined',
      });
      await billing.setAutoRecharge('a', wanted);
      assert.deepEqual((await billing.get('a')).autoRecharge, wanted);
    });
  });
}
