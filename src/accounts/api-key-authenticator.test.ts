import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountFixture, testKey } from '../../test/support/account-fixture.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { ApiKeys } from '../kernel/ports/records.ts';
import { ApiKeyAuthenticator } from './api-key-authenticator.ts';
import { limits } from './limits.ts';
import { createKeyHasher } from './secret-hasher.ts';

const here = '127.0.0.1';
const plain = { name: '', pipelineConfig: null };

test('a key is looked up once and then cached for a minute', async (t) => {
  const { desk, ring, looks, token, key } = await stage(t);
  assert.equal(ring.cached(token, here), undefined);
  const identity = await ring.find(token, here);
  assert.deepEqual(identity, {
    account: { id: key.accountId, tier: 'free', period: undefined },
    keyId: key.id,
    name: key.name,
    pipelineConfig: null,
    receipts: false,
    record: null,
    limits: undefined,
    access: undefined,
    projectId: null,
    budgets: undefined,
    version: await desk.shared.versions.of(key.accountId),
  });
  const before = looks();
  desk.clock.move(limits.keyLookupLifeMs - 1);
  assert.equal(ring.cached(token, here), identity);
  assert.equal(await ring.find(token, here), identity);
  assert.equal(looks(), before);
  desk.clock.move(1);
  assert.equal(ring.cached(token, here), undefined);
  assert.deepEqual(await ring.find(token, here), identity);
  assert.equal(looks(), before + 1);
  desk.clock.move(limits.keyLookupLifeMs);
  await desk.database.apiKeys.revoke(key.accountId, key.id, 1);
  assert.equal(await ring.find(token, here), undefined);
});

test('a token that is none costs one hash, whether or not a key begins with the same characters', async (t) => {
  const { desk, token } = await stage(t);
  const hasher = createKeyHasher();
  const verified = t.mock.method(hasher, 'verify');
  const ring = replica(desk, desk.database.apiKeys, hasher);
  const tail = 'x'.repeat(token.length - 12);
  for (const begin of [token.slice(0, 12), `${token.slice(0, 8)}none`]) {
    verified.mock.resetCalls();
    assert.equal(await ring.find(begin + tail, here), undefined);
    assert.equal(verified.mock.callCount(), 1, begin);
  }
});

test('a key stops working at the very moment that it expires, also where it is cached', async (t) => {
  const { desk, ring, token, key } = await stage(t);
  const expiresAtMs = desk.clock.now() + 500;
  await desk.keys.change(key.accountId, key.id, { access: { expiresAtMs } });
  assert.ok(await ring.findCurrent(token, here));
  desk.clock.move(499);
  assert.ok(ring.cached(token, here));
  desk.clock.move(1);
  assert.equal(ring.cached(token, here), undefined);
  for (const find of [() => ring.find(token, here), () => ring.findCurrent(token, here)])
    await assert.rejects(find, { code: 'invalid_api_key', status: 401, message: /has expired/ });
  await desk.keys.change(key.accountId, key.id, { access: { expiresAtMs: expiresAtMs + 1 } });
  assert.ok(await ring.find(token, here), 'a refusal is not cached either');
});

test('a key with addresses works from these, and from nowhere that is unknown', async (t) => {
  const { desk, ring, token, key } = await stage(t);
  await ring.find(token, here);
  await desk.keys.change(key.accountId, key.id, { access: { addresses: ['10.0.0.0/8'] } });
  assert.ok(await ring.findCurrent(token, '::ffff:10.1.2.3'));
  assert.ok(ring.cached(token, '10.1.2.3'));
  for (const address of [here, '', undefined]) {
    assert.equal(ring.cached(token, address), undefined);
    await assert.rejects(ring.find(token, address), { code: 'address_not_allowed', status: 403 });
    await assert.rejects(ring.findCurrent(token, address), { code: 'address_not_allowed' });
  }
});

test('what has not the shape of a key is refused without a look at the database', async (t) => {
  const { ring, looks, token } = await stage(t);
  for (const wrong of [
    '',
    'x',
    token.slice(0, -1),
    `${token}A`,
    `${token}\n`,
    token.replace('gw_live_', 'gx_live_'),
    token.replace('_live_', '_test_'),
    `${token.slice(0, -1)}*`,
    `${token.slice(0, -1)}é`,
  ])
    assert.equal(await ring.find(wrong, here), undefined, wrong);
  assert.equal(looks(), 0);
});

test('a key that does not exist is not looked for again for a while', async (t) => {
  const { desk, ring, looks, token } = await stage(t);
  const wrong = `${token.slice(0, -4)}AAAA`;
  assert.equal(await ring.find(wrong, here), undefined);
  const before = looks();
  assert.equal(await ring.find(wrong, here), undefined);
  assert.equal(looks(), before);
  desk.clock.move(limits.keyMissLifeMs);
  assert.equal(await ring.find(wrong, here), undefined);
  assert.ok(looks() > before);
});

test('many calls with a key that is not cached yet look it up once', async (t) => {
  const { ring, looks, token } = await stage(t);
  const found = await Promise.all(Array.from({ length: 50 }, () => ring.find(token, here)));
  assert.equal(new Set(found).size, 1);
  assert.equal(looks(), 2, 'once for the key, and once more after its version');
});

test('keys with the same prefix are distinguished', async (t) => {
  const { desk, ring, token, key } = await stage(t);
  const twin = `${token.slice(0, -4)}AAAA`;
  const hash = await createKeyHasher().hash(twin);
  const id = '00000000-0000-4000-8000-000000000000';
  await desk.database.apiKeys.add({ ...key, id, hash }, limits.activeKeysMax);
  assert.equal((await ring.find(twin, here))?.keyId, id);
  assert.equal((await ring.find(token, here))?.keyId, key.id);
});

test('a change is seen by whoever compares versions, on every replica', async (t) => {
  const { desk, ring, token, key } = await stage(t);
  const elsewhere = replica(desk, desk.database.apiKeys);
  for (const each of [ring, elsewhere]) await each.find(token, here);
  await desk.keys.change(key.accountId, key.id, { pipelineConfig: 'none' });
  for (const each of [ring, elsewhere]) {
    const stale = await each.find(token, here);
    assert.ok(stale !== undefined);
    assert.equal(stale.pipelineConfig, null);
    assert.notEqual(stale.version, await desk.shared.versions.of(key.accountId));
    assert.equal((await each.findCurrent(token, here))?.pipelineConfig, 'none');
  }
  await desk.keys.revoke(key.accountId, key.id);
  for (const each of [ring, elsewhere]) {
    assert.equal(await each.findCurrent(token, here), undefined);
    assert.equal(await each.find(token, here), undefined);
  }
});

test('a revocation that was stored but not published is completed by the next attempt', async (t) => {
  const { desk, ring, token, key } = await stage(t);
  await ring.find(token, here);
  // As where the process of the shared state is away after the row was written.
  await desk.database.apiKeys.revoke(key.accountId, key.id, desk.clock.now());
  assert.ok(await ring.findCurrent(token, here));
  await assert.rejects(desk.keys.revoke(key.accountId, key.id));
  assert.equal(await ring.findCurrent(token, here), undefined);
});

test('an identity is never older than the version it carries', async (t) => {
  const { desk, token, key } = await stage(t);
  const { apiKeys } = desk.database;
  let looks = 0;
  // The key is revoked between its first look-up and the reading of its version.
  const revokedMeanwhile: Pick<ApiKeys, 'active'> = {
    async active(prefix) {
      const found = await apiKeys.active(prefix);
      if (++looks === 1) await desk.keys.revoke(key.accountId, key.id);
      return found;
    },
  };
  assert.equal(await replica(desk, revokedMeanwhile).find(token, here), undefined);
});

test('a lookup that was forgotten while it was under way is not remembered', async (t) => {
  const { desk, token, key } = await stage(t);
  const { apiKeys } = desk.database;
  const gate = Promise.withResolvers<void>();
  let looks = 0;
  // The first lookup has read all that it needs, and is held up before it says so.
  const ring = replica(desk, {
    async active(prefix) {
      const isLast = ++looks === 2;
      const found = await apiKeys.active(prefix);
      if (isLast) await gate.promise;
      return found;
    },
  });
  const overtaken = ring.find(token, here);
  await eventually(() => (looks === 2 ? looks : undefined));
  await desk.keys.change(key.accountId, key.id, { pipelineConfig: 'none' });
  ring.forget(token);
  assert.equal((await ring.find(token, here))?.pipelineConfig, 'none');
  gate.resolve();
  await overtaken;
  assert.equal(ring.cached(token, here)?.pipelineConfig, 'none');
});

test('a database that fails is asked again the next time', async (t) => {
  const { desk, token } = await stage(t);
  const { apiKeys } = desk.database;
  let isAway = true;
  const flaky: Pick<ApiKeys, 'active'> = {
    active: (prefix) => (isAway ? Promise.reject(new Error('away')) : apiKeys.active(prefix)),
  };
  const ring = replica(desk, flaky);
  await assert.rejects(ring.find(token, here), /away/);
  isAway = false;
  assert.ok(await ring.find(token, here));
});

test('no more than so many lookups are under way at once', async (t) => {
  const { desk, token } = await stage(t);
  const gate = Promise.withResolvers<void>();
  const slow: Pick<ApiKeys, 'active'> = { active: () => gate.promise.then(() => []) };
  const ring = replica(desk, slow);
  const numbered = (number: number) => `${token.slice(0, -6)}${String(number).padStart(6, '0')}`;
  const under = Array.from({ length: limits.keyLookupsAtOnce }, (_, at) => ring.find(numbered(at), here));
  await assert.rejects(ring.find(numbered(limits.keyLookupsAtOnce), here), { code: 'busy', status: 503 });
  gate.resolve();
  await Promise.all(under);
  assert.equal(await ring.find(numbered(limits.keyLookupsAtOnce), here), undefined);
});

async function stage(t: Parameters<typeof AccountFixture.open>[0]) {
  const desk = await AccountFixture.open(t);
  const { key, token } = await desk.keys.create(await desk.account(), plain);
  const { apiKeys } = desk.database;
  let looked = 0;
  const ring = replica(desk, {
    active(prefix) {
      looked++;
      return apiKeys.active(prefix);
    },
  });
  return { desk, ring, looks: () => looked, token, key };
}

/** Another process on the same database and the same shared state. */
function replica(
  desk: AccountFixture,
  apiKeys: Pick<ApiKeys, 'active'>,
  hasher = createKeyHasher(),
): ApiKeyAuthenticator {
  const { uses, clock } = desk;
  const { versions } = desk.shared;
  return new ApiKeyAuthenticator({
    apiKeys: {
      active: (prefix) => apiKeys.active(prefix),
      byId: (id) => desk.database.apiKeys.byId(id),
    },
    budgets: desk.database.budgets,
    versions,
    hasher,
    uses,
    keyPrefix: 'gw',
    cacheKey: testKey(2),
    clock,
  });
}
