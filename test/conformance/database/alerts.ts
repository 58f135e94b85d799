import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AlertMessage, AlertTable, StoredWebhook } from '../../../src/kernel/ports/alerts.ts';
import type { SetUpDatabase } from './set-up.ts';

const bounds = { deliveriesMax: 100, alertsPerDayMax: 100 };
const hourMs = 3_600_000;

export function alertsConformance(setUpDatabase: SetUpDatabase): void {
  describe('alerts', () => {
    test('a webhook comes back as it was added and changed, to its account only', async (t) => {
      const { alerts } = (await setUpDatabase(t)).database;
      assert.equal(await alerts.addWebhook(webhook('w1'), 2), true);
      assert.equal(await alerts.addWebhook(webhook('w2'), 2), true);
      assert.equal(await alerts.addWebhook(webhook('w3'), 2), false);
      assert.deepEqual(
        (await alerts.webhooks('a')).map(comparable),
        ['w1', 'w2'].map((id) => comparable(webhook(id))),
      );
      assert.deepEqual(await alerts.webhooks('b'), []);
      const changes = {
        events: ['key.revoked'],
        sealedBy: 'k2',
        sealed: new Uint8Array([9]),
        failingSinceMs: 5,
      } as const;
      assert.equal(await alerts.changeWebhook('b', 'w1', changes), undefined);
      const changed = await alerts.changeWebhook('a', 'w1', changes);
      assert.deepEqual(changed && comparable(changed), comparable({ ...webhook('w1'), ...changes }));
      assert.equal(await alerts.deleteWebhook('b', 'w1'), false);
      assert.equal(await alerts.deleteWebhook('a', 'w1'), true);
      assert.equal(await alerts.deleteWebhook('a', 'w1'), false);
      assert.equal((await alerts.webhooks('a')).length, 1);
    });

    test('of the same alert in several processes one is stored, for the webhooks with its event', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const { alerts } = database;
      const other = (await open()).alerts;
      await alerts.addWebhook(webhook('w1'), 9);
      await alerts.addWebhook(webhook('w2', { events: ['key.revoked'] }), 9);
      await alerts.addWebhook(webhook('w3', { disabledAtMs: 1 }), 9);
      const added = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((at) => (at % 2 ? alerts : other).add(alert('80'), message(`m${at}`), bounds)),
      );
      assert.deepEqual(added.map(({ stored }) => stored).toSorted(), [0, 0, 0, 0, 0, 1]);
      assert.ok(added.every(({ lost }) => lost === 0));
      assert.deepEqual(await other.add(alert('95'), message('m7'), bounds), { stored: 1, lost: 0 });
      const strangers = await other.add({ ...alert('80'), accountId: 'b' }, message('m8'), bounds);
      assert.deepEqual(strangers, { stored: 0, lost: 0 });
      assert.equal((await listed(alerts, 'w1')).length, 2);
      assert.equal((await listed(alerts, 'w2')).length, 0);
      assert.equal((await listed(alerts, 'w3')).length, 0);
    });

    test('a delivery is leased to one process, and to another when the lease is over', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const { alerts } = database;
      const other = (await open()).alerts;
      await alerts.addWebhook(webhook('w1'), 9);
      await alerts.addWebhook(webhook('w2'), 9);
      await alerts.add(alert('50'), message('m1', 100), bounds);
      await alerts.add(alert('80'), message('m2', 101), bounds);
      assert.deepEqual(await alerts.take({ nowMs: 99, untilMs: 200, most: 9 }), []);
      const both = await Promise.all(
        [alerts, other].map((one) => one.take({ nowMs: 150, untilMs: 200, most: 9 })),
      );
      // One for each webhook and process at most, and none twice.
      const first = both.flat();
      assert.equal(new Set(first.map(({ delivery }) => delivery.id)).size, first.length);
      const rest = [];
      for (let some = await other.take({ nowMs: 150, untilMs: 200, most: 9 }); some.length > 0; ) {
        rest.push(...some);
        some = await other.take({ nowMs: 150, untilMs: 200, most: 9 });
      }
      assert.equal(first.length + rest.length, 4);
      const again = await other.take({ nowMs: 200, untilMs: 300, most: 1 });
      assert.deepEqual(
        again.map(({ delivery, webhook: { accountId } }) => [delivery.attempts, delivery.dueAtMs, accountId]),
        [[2, 300, 'a']],
      );
      const [taken] = again;
      assert.ok(taken !== undefined);
      const result = { atMs: 201, nextAtMs: null, lastStatus: 200, lastError: null, deliveredAtMs: 201 };
      const late = first.concat(rest).find(({ delivery }) => delivery.id === taken.delivery.id);
      assert.ok(late !== undefined);
      await alerts.recordAttempt(late.delivery, { ...result, lastStatus: 500, nextAtMs: 1 });
      await other.recordAttempt(taken.delivery, result);
      const stored = (await listed(alerts, taken.webhook.id)).find(({ id }) => id === taken.delivery.id);
      assert.deepEqual([stored?.lastStatus, stored?.dueAtMs, stored?.deliveredAtMs], [200, null, 201]);
    });

    test('deliveries are listed by page, sent again, given up with their webhook, and deleted with it', async (t) => {
      const { alerts } = (await setUpDatabase(t)).database;
      await alerts.addWebhook(webhook('w1'), 9);
      for (const at of [1, 2, 3]) await alerts.add(alert(`${at}`), message(`m${at}`, at), bounds);
      const [newest, ...older] = await listed(alerts, 'w1');
      assert.ok(newest !== undefined);
      assert.deepEqual(
        [newest, ...older].map((one) => one.message.id),
        ['m3', 'm2', 'm1'],
      );
      assert.deepEqual(
        await alerts.deliveries({
          accountId: 'a',
          webhookId: 'w1',
          before: { atMs: 3, id: newest.id },
          limit: 9,
        }),
        older,
      );
      const [taken] = await alerts.take({ nowMs: 9, untilMs: 99, most: 1 });
      assert.ok(taken !== undefined);
      await alerts.recordAttempt(taken.delivery, {
        atMs: 9,
        nextAtMs: null,
        lastStatus: 500,
        lastError: 'x',
        deliveredAtMs: null,
      });
      const { id } = taken.delivery;
      assert.equal(await alerts.resend({ accountId: 'b', webhookId: 'w1', id }, 50), undefined);
      const resent = await alerts.resend({ accountId: 'a', webhookId: 'w1', id }, 50);
      assert.deepEqual([resent?.dueAtMs, resent?.startedAtMs, resent?.attempts], [50, 50, 0]);
      await alerts.changeWebhook('a', 'w1', { disabledAtMs: 60, disabledReason: 'gone' });
      assert.ok(
        (await listed(alerts, 'w1')).every(
          ({ dueAtMs, lastError }) => dueAtMs === null && lastError !== null,
        ),
      );
      await alerts.deleteWebhook('a', 'w1');
      assert.deepEqual(await listed(alerts, 'w1'), []);
    });

    test('what an account stores is bounded, cleaned by age, and deleted with the account', async (t) => {
      const { alerts } = (await setUpDatabase(t)).database;
      const few = { deliveriesMax: 3, alertsPerDayMax: 5 };
      const [isStored, isLost] = [
        { stored: 1, lost: 0 },
        { stored: 0, lost: 1 },
      ];
      await alerts.addWebhook(webhook('w1'), 9);
      for (const at of [1, 2, 3])
        assert.deepEqual(await alerts.add(alert(`${at}`), message(`m${at}`, at), few), isStored);
      assert.deepEqual(await alerts.add(alert('4'), message('m4', 4), few), isLost, 'all of them wait');
      const [taken] = await alerts.take({ nowMs: 9, untilMs: 99, most: 1 });
      assert.ok(taken !== undefined);
      await alerts.recordAttempt(taken.delivery, {
        atMs: 9,
        nextAtMs: null,
        lastStatus: 200,
        lastError: null,
        deliveredAtMs: 9,
      });
      assert.deepEqual(await alerts.add(alert('5'), message('m5', 5), few), isStored);
      assert.deepEqual(
        (await listed(alerts, 'w1')).map((one) => one.message.id),
        ['m5', 'm3', 'm2'],
      );
      const more = { ...few, deliveriesMax: 9 };
      assert.deepEqual(await alerts.add(alert('6'), message('m6', 6), more), isLost, 'of the day');
      assert.deepEqual(await alerts.add(alert('6'), message('m6', 30 * hourMs), more), isStored);
      const [done] = await alerts.take({ nowMs: 9, untilMs: 99, most: 1 });
      assert.ok(done !== undefined);
      await alerts.recordAttempt(done.delivery, {
        atMs: 9,
        nextAtMs: null,
        lastStatus: 200,
        lastError: null,
        deliveredAtMs: 9,
      });
      await alerts.clean({ alertsMs: 3, deliveriesMs: 5 });
      assert.deepEqual(
        (await listed(alerts, 'w1')).map((one) => one.message.id),
        ['m6', 'm5', 'm3'],
      );
      const again = { deliveriesMax: 9, alertsPerDayMax: 9 };
      assert.deepEqual(await alerts.add(alert('1'), message('m7', 7), again), isStored, 'its row is gone');
      assert.deepEqual(await alerts.add(alert('3'), message('m8', 8), again), { stored: 0, lost: 0 });
      await alerts.forget('a');
      assert.deepEqual([await alerts.webhooks('a'), await listed(alerts, 'w1')], [[], []]);
    });
  });
}

function webhook(id: string, more: Partial<StoredWebhook> = {}): StoredWebhook {
  return {
    id,
    accountId: 'a',
    channel: 'slack',
    events: ['budget.threshold'],
    sealedBy: 'k',
    sealed: new Uint8Array([1, 2, 3]),
    createdAtMs: 1,
    disabledAtMs: null,
    disabledReason: null,
    failingSinceMs: null,
    ...more,
  };
}

function comparable({ sealed, ...rest }: StoredWebhook) {
  return { ...rest, sealed: [...sealed] };
}

function alert(key: string) {
  return { accountId: 'a', event: 'budget.threshold', key } as const;
}

function message(id: string, atMs = 1): AlertMessage {
  return { id, type: 'budget.threshold', body: '{}', atMs };
}

function listed(alerts: AlertTable, webhookId: string) {
  return alerts.deliveries({ accountId: 'a', webhookId, before: undefined, limit: 99 });
}
