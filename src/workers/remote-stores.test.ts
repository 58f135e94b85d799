import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { budgetsConformance } from '../../test/conformance/budgets.ts';
import { cacheBackendConformance } from '../../test/conformance/cache-backend.ts';
import { healthConformance } from '../../test/conformance/health.ts';
import { type SharedStateFixture, sharedStateConformance } from '../../test/conformance/shared-state.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import {
  createInProcessStores,
  createRemoteStoresFixture,
  createSharedHolders,
} from '../../test/support/remote-stores-fixture.ts';
import { limits } from '../storage/limits.ts';

sharedStateConformance('shared state in the primary process', openSharedState);
healthConformance('health in the primary process', openSharedState);

function openSharedState(t: TestContext): SharedStateFixture {
  const clock = new ManualClock();
  const memory = createInProcessStores(clock);
  const all = createSharedHolders(memory);
  return {
    replicas: [
      createRemoteStoresFixture(t, memory, all).shared,
      createRemoteStoresFixture(t, memory, all).shared,
    ],
    nowMs: clock.now(),
    pass: (seconds) => clock.move(seconds * 1000),
    lose: async () => createRemoteStoresFixture(t, createInProcessStores(clock)).shared,
  };
}

budgetsConformance('purses in the primary process', (t) => {
  const clock = new ManualClock();
  const memory = createInProcessStores(clock);
  return {
    replicas: [createRemoteStoresFixture(t, memory).budgets, createRemoteStoresFixture(t, memory).budgets],
    pass: (seconds) => clock.move(seconds * 1000),
    lose: async () => createRemoteStoresFixture(t, createInProcessStores(clock)).budgets,
  };
});

for (const which of ['cacheBackend', 'turnCacheBackend'] as const)
  cacheBackendConformance(`${which} in the primary process`, (t) => {
    const clock = new ManualClock();
    return {
      backend: createRemoteStoresFixture(t, createInProcessStores(clock))[which],
      pass: (seconds) => clock.move(seconds * 1000),
    };
  });

test('what modules keep and what clients go on from are shelves apart', async (t) => {
  const { cacheBackend, turnCacheBackend } = createRemoteStoresFixture(
    t,
    createInProcessStores(new ManualClock()),
  );
  await cacheBackend.cacheFor('a').put('key', Buffer.from('1'), 60);
  assert.equal(await turnCacheBackend.cacheFor('a').get('key'), undefined);
});

test('a value that is too large is not kept, nor the one before it', async (t) => {
  const { cacheBackend } = createRemoteStoresFixture(t, createInProcessStores(new ManualClock()));
  const scopedCache = cacheBackend.cacheFor('a');
  await scopedCache.put('key', Buffer.from('old'), 60);
  await scopedCache.put('key', Buffer.alloc(limits.cacheValueBytesMax + 1), 60);
  assert.equal(await scopedCache.get('key'), undefined);
});

test('what is kept is the value, not the message that it came in', async (t) => {
  const kept: Uint8Array[] = [];
  const memory = createInProcessStores(new ManualClock());
  const watched = {
    clear: async () => undefined,
    cacheFor: () => ({
      ...memory.cacheBackend.cacheFor(''),
      put: async (_: string, value: Uint8Array) => void kept.push(value),
    }),
  };
  const { cacheBackend } = createRemoteStoresFixture(t, { ...memory, cacheBackend: watched });
  await cacheBackend.cacheFor('a').put('key', new Uint8Array(1000).subarray(0, 10), 60);
  assert.deepEqual(
    kept.map(({ buffer }) => buffer.byteLength),
    [10],
  );
});

test('without a reply from the primary, caches are empty and counting is rejected', async (t) => {
  const { shared, cacheBackend, cut } = createRemoteStoresFixture(
    t,
    createInProcessStores(new ManualClock()),
  );
  const scopedCache = cacheBackend.cacheFor('a');
  await scopedCache.put('key', Buffer.from('1'), 60);
  const away = { code: 'storage_unavailable' };
  cut();
  await assert.rejects(shared.ping(), away);
  await assert.rejects(async () => shared.versions.of('a'), away);
  assert.equal(await scopedCache.get('key'), undefined);
  await scopedCache.put('key', Buffer.from('1'), 60);
  await assert.rejects(scopedCache.delete('key'), away);
});

test('an account’s version is asked for once, until it is renewed or known to be another', async (t) => {
  const memory = createInProcessStores(new ManualClock());
  const all = createSharedHolders(memory);
  const [one, other] = [createRemoteStoresFixture(t, memory, all), createRemoteStoresFixture(t, memory, all)];
  const first = await one.shared.versions.of('a');
  const { length } = one.messages;
  for (let calls = 0; calls < 3; calls++) assert.equal(one.shared.versions.of('a'), first);
  assert.equal(one.messages.length, length);
  await other.shared.versions.renew('a');
  const second = await one.shared.versions.of('a');
  assert.notEqual(second, first);
  assert.equal(one.shared.versions.of('a'), second);
  // The memory made room, and counts this account anew.
  await memory.shared.versions.renew('a');
  const allowance = { accountId: 'a', periodStartMs: 0, periodEndMs: 1, limit: 1, givenBackMax: 1 };
  const { version } = await one.shared.slots.take(allowance);
  assert.equal(await one.shared.versions.of('a'), version);
});

test('a version that was on its way when it was renewed is not kept', async (t) => {
  const memory = createInProcessStores(new ManualClock());
  const all = createSharedHolders(memory);
  const [one, other] = [createRemoteStoresFixture(t, memory, all), createRemoteStoresFixture(t, memory, all)];
  const asked = one.shared.versions.of('a');
  const renewed = other.shared.versions.renew('a');
  await Promise.all([asked, renewed]);
  assert.equal(await one.shared.versions.of('a'), await memory.shared.versions.of('a'));
});

test('a renewal that somebody did not hear of is not confirmed', async (t) => {
  const memory = createInProcessStores(new ManualClock());
  const all = createSharedHolders(memory);
  all.holders.add({ hasEnded: false, forgetAccount: () => Promise.reject(new Error('stuck')) });
  const { shared } = createRemoteStoresFixture(t, memory, all);
  await assert.rejects(shared.versions.renew('a'), /stuck/);
});

test('what a process knows of versions ends with its way to the memory', async (t) => {
  const { shared, cut } = createRemoteStoresFixture(t, createInProcessStores(new ManualClock()));
  await shared.versions.of('a');
  cut();
  await assert.rejects(shared.ping());
  await assert.rejects(async () => shared.versions.of('a'), { code: 'storage_unavailable' });
});
