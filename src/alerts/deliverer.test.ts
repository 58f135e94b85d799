import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '../../test/support/clean-up.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { WebhookReceiver } from '../../test/support/webhook-receiver.ts';
import { Sealer } from '../accounts/sealer.ts';
import { Egress } from '../egress/egress.ts';
import type { AlertDelivery, StoredWebhook } from '../kernel/ports/alerts.ts';
import { openSqlite } from '../storage/sql/sqlite.ts';
import { emptyDatabaseFile } from '../testing/empty-database.ts';
import { AlertOutbox } from './alert-outbox.ts';
import { Deliverer } from './deliverer.ts';
import { limits } from './limits.ts';
import { Webhooks } from './webhooks.ts';

const minuteMs = 60_000;

/** An account with a webhook, and as many processes as a test starts. */
async function setUp(t: TestContext, path = '') {
  const receiver = await WebhookReceiver.start(t);
  const folder = mkdtempSync(join(tmpdir(), 'weir-alerts-'));
  const database = await openSqlite({ file: emptyDatabaseFile(folder) });
  const egress = new Egress({
    isPublicOnly: true,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  cleanUp(t, async () => {
    await egress.close();
    await database.close();
    rmSync(folder, { recursive: true });
  });
  const clock = new ManualClock();
  const sealing = new Sealer([new Uint8Array(32)]);
  const table = database.alerts;
  const errors: unknown[] = [];
  const common = { table, clock, sealing, onError: (error: unknown) => errors.push(error) };
  const webhooks = new Webhooks({
    ...common,
    findAddressFault: () => undefined,
    findMailFault: async () => undefined,
    onDue: () => undefined,
  });
  const { port } = new URL(receiver.url);
  const url = path === '' ? receiver.url : `http://${path}:${port}/`;
  const { id } = await webhooks.create('a', { channel: 'webhook', url, events: ['key.revoked'] });
  const outbox = new AlertOutbox({
    ...common,
    onStored: () => undefined,
    onDrop: () => undefined,
    onLost: () => undefined,
  });
  const fetch = egress.openFetch({
    purpose: 'webhooks',
    reachOf: (origin) => (origin === receiver.url ? 'any' : 'public'),
  });
  return {
    receiver,
    clock,
    table,
    webhooks,
    errors,
    deliverer: new Deliverer({ ...common, fetch, fetchForInstance: fetch }),
    async raise(key: string): Promise<void> {
      outbox.raise({ accountId: 'a', event: 'key.revoked', key, message: key, data: {} });
      assert.ok(await outbox.drain(minuteMs));
    },
    async state(): Promise<{ webhook: StoredWebhook; deliveries: readonly AlertDelivery[] }> {
      const query = { accountId: 'a', webhookId: id, before: undefined, limit: 99 };
      return { webhook: await webhooks.find('a', id), deliveries: await webhooks.deliveries(query) };
    },
  };
}

async function sendDue(deliverer: Deliverer): Promise<void> {
  deliverer.send();
  await deliverer.whenIdle();
}

test('what a killed process was about to send is sent by another', async (t) => {
  const { receiver, clock, table, deliverer, raise, state } = await setUp(t);
  await raise('one');
  const nowMs = clock.now();
  const taken = await table.take({ nowMs, untilMs: nowMs + limits.leaseMs, most: 1 });
  assert.equal(taken.length, 1);
  await sendDue(deliverer);
  assert.equal(receiver.messages.length, 0, 'the other process may still send it');
  clock.move(limits.leaseMs);
  await sendDue(deliverer);
  const [delivery] = (await state()).deliveries;
  assert.deepEqual([receiver.messages.length, delivery?.attempts], [1, 2]);
  assert.equal(delivery?.deliveredAtMs, clock.now());
});

test('a failing delivery is tried for a day, ever less often, and a failing webhook is disabled after days', async (t) => {
  const { receiver, clock, deliverer, raise, state, errors } = await setUp(t);
  receiver.status = 503;
  await raise('one');
  const startedAtMs = clock.now();
  const delays: number[] = [];
  for (;;) {
    await sendDue(deliverer);
    const [delivery] = (await state()).deliveries;
    assert.equal(delivery?.lastError, 'the server answered 503');
    if (delivery.dueAtMs === null) break;
    delays.push(delivery.dueAtMs - clock.now());
    clock.move(delivery.dueAtMs - clock.now());
  }
  assert.equal(receiver.messages.length, delays.length + 1);
  assert.equal(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.ok(delays.length >= 9 && delays.length <= 16, String(delays));
  assert.ok((delays[0] ?? 0) >= 3750 && (delays[0] ?? 0) <= 6250, String(delays));
  const lastedMs = clock.now() - startedAtMs;
  assert.ok(lastedMs <= limits.deliveryMs && lastedMs > limits.deliveryMs / 2, String(lastedMs));

  clock.move(limits.failingMsMax);
  await raise('two');
  await sendDue(deliverer);
  const { webhook, deliveries } = await state();
  assert.match(webhook.disabledReason ?? '', /^all attempts failed since 2026-11-15T12:00:0/);
  assert.ok(deliveries.every(({ dueAtMs, deliveredAtMs }) => dueAtMs === null && deliveredAtMs === null));
  await raise('three');
  assert.equal((await state()).deliveries.length, 2, 'a disabled webhook gets nothing');
  assert.deepEqual(errors, []);
});

test('a name with a private address gets no message in cloud mode', async (t) => {
  const { receiver, deliverer, raise, state } = await setUp(t, 'hooks.example.com');
  await raise('one');
  await sendDue(deliverer);
  const [delivery] = (await state()).deliveries;
  assert.match(delivery?.lastError ?? '', /^hooks\.example\.com has a private address/);
  assert.equal(receiver.messages.length, 0);
});

test('old alerts and deliveries are deleted', async (t) => {
  const { clock, deliverer, raise, state } = await setUp(t);
  await raise('one');
  await sendDue(deliverer);
  clock.move(limits.deliveriesKeptMs + minuteMs);
  await deliverer.clean();
  assert.equal((await state()).deliveries.length, 0);
});
