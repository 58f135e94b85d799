import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { AccountFixture } from '../../test/support/account-fixture.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from './limits.ts';

const plain = { name: '', pipelineConfig: null };

test('a key is made once and stored as a hash', async (t) => {
  const { keys, database, clock, account } = await opened(t);
  const { key, token } = await keys.create(account, { name: 'laptop', pipelineConfig: 'exact-cache' });
  assert.match(token, /^gw_live_[A-Za-z0-9_-]{43}$/);
  assert.equal(Buffer.from(token.slice(8), 'base64url').byteLength, 32);
  assert.equal(key.prefix, token.slice(0, 12));
  assert.match(key.hash, /^\$argon2id\$/);
  const [stored] = await database.apiKeys.list(account);
  assert.deepEqual(stored, key);
  assert.deepEqual(
    [key.name, key.pipelineConfig, key.createdAtMs, key.lastUsedAtMs, key.revokedAtMs, key.receipts],
    ['laptop', 'exact-cache', clock.now(), null, null, false],
  );
  assert.ok(!JSON.stringify(stored).includes(token.slice(12)));
});

test('a change holds what was not named, and a change of nothing changes nothing', async (t) => {
  const { keys, account } = await opened(t);
  const { key } = await keys.create(account, { name: 'laptop', pipelineConfig: 'exact-cache' });
  assert.deepEqual(await keys.change(account, key.id, {}), key);
  assert.deepEqual(await keys.change(account, key.id, { name: 'desk' }), { ...key, name: 'desk' });
  const cleared = await keys.change(account, key.id, { pipelineConfig: null });
  assert.deepEqual(cleared, { ...key, name: 'desk', pipelineConfig: null, modulesSinceMs: {} });
});

test('modules of a pipeline have the time of the change that added them', async (t) => {
  const { keys, clock, account } = await opened(t);
  const { key } = await keys.create(account, { name: '', pipelineConfig: 'exact-cache' });
  const createdAt = clock.now();
  assert.deepEqual([key.owner, key.modulesSinceMs], ['', { 'exact-cache': createdAt }]);
  clock.move(1000);
  const change = async (pipelineConfig: string | null) =>
    (await keys.change(account, key.id, { pipelineConfig })).modulesSinceMs;
  const both = { 'cost-guard': clock.now(), 'exact-cache': createdAt };
  assert.deepEqual(await change('cost-guard?day=5,exact-cache?ttl=1h'), both);
  assert.deepEqual(await change('no,,list?'), both);
  const { modulesSinceMs, owner } = await keys.change(account, key.id, { owner: 'Ada' });
  assert.deepEqual([modulesSinceMs, owner], [both, 'Ada']);
  assert.deepEqual(await change(null), {});
});

test('a revoked key stays in the list and is no key any more', async (t) => {
  const { keys, clock, account } = await opened(t);
  const { key } = await keys.create(account, plain);
  clock.move(1000);
  await keys.revoke(account, key.id);
  const [listed] = await keys.list(account);
  assert.equal(listed?.revokedAtMs, clock.now());
  await assert.rejects(keys.revoke(account, key.id), isNotFound);
  await assert.rejects(keys.change(account, key.id, { name: 'x' }), isNotFound);
  await assert.rejects(keys.change(account, key.id, {}), isNotFound);
});

test('revoking is written before the version of the account is renewed', async (t) => {
  const { keys, account, desk } = await opened(t);
  const { key } = await keys.create(account, plain);
  const rows: unknown[] = [];
  const renew = async () => void rows.push((await desk.database.apiKeys.byId(key.id))?.revokedAtMs);
  await desk.keysIn(desk.database.apiKeys, { of: () => '', renew }).revoke(account, key.id);
  assert.deepEqual(rows, [desk.clock.now()]);
});

test("another account's key, an unknown one and what is no id are not found", async (t) => {
  const { keys, account, ...desk } = await opened(t);
  const other = await desk.signUp('eve@example.com');
  const { key } = await keys.create(account, plain);
  for (const id of [key.id, randomUUID(), '', 'x', "' or 1=1 --", '\0', key.id.toUpperCase()]) {
    await assert.rejects(keys.revoke(other, id), isNotFound);
    await assert.rejects(keys.change(other, id, { name: 'x' }), isNotFound);
  }
  assert.deepEqual(await keys.list(account), [key]);
  assert.deepEqual(await keys.list(other), []);
});

test('an id that is no UUID does not reach the database, which may reject the query', async (t) => {
  const { keys: stored, account, desk } = await opened(t);
  const { key } = await stored.create(account, plain);
  const query = () => assert.fail('the database was queried');
  const keys = desk.keysIn({ ...desk.database.apiKeys, change: query, revoke: query });
  for (const id of [
    '',
    'x',
    key.id.toUpperCase(),
    `0${key.id}`,
    `${key.id}0`,
    `{${key.id}}`,
    key.id.replaceAll('-', ''),
  ]) {
    await assert.rejects(keys.revoke(account, id), isNotFound);
    await assert.rejects(keys.change(account, id, { name: 'x' }), isNotFound);
  }
});

test('a key is not stored if the credential of the request was revoked meanwhile', async (t) => {
  const { keys, account } = await opened(t);
  const { key } = await keys.create(account, plain);
  const shown = { kind: 'key', id: key.id } as const;
  const { key: second } = await keys.create(account, plain, shown);
  await keys.revoke(account, key.id);
  await assert.rejects(keys.create(account, plain, shown), /was revoked or has expired/);
  const listed = (await keys.list(account)).map(({ id }) => id).toSorted();
  assert.deepEqual(listed, [key.id, second.id].toSorted());
});

test('the version of the account is renewed after each change, and again by a retry', async (t) => {
  const { account, desk } = await opened(t);
  const { apiKeys } = desk.database;
  let renew = async (): Promise<void> => undefined;
  const keys = desk.keysIn(apiKeys, { of: () => '', renew: () => renew() });
  const { key } = await keys.create(account, plain);
  const rows: unknown[] = [];
  renew = async () => {
    const row = await apiKeys.byId(key.id);
    rows.push([row?.name, row?.revokedAtMs]);
  };
  await keys.change(account, key.id, { name: 'desk' });
  renew = () => Promise.reject(new Error('Redis is down'));
  await assert.rejects(keys.revoke(account, key.id), /Redis is down/);
  renew = async () => void rows.push('renewed again');
  await assert.rejects(keys.revoke(account, key.id), isNotFound);
  assert.deepEqual(rows, [['desk', null], 'renewed again']);
});

test('an account has so many active keys and no more, also when they are made at once', async (t) => {
  const { keys, account } = await opened(t);
  const made = await Promise.allSettled(
    Array.from({ length: limits.activeKeysMax + 10 }, () => keys.create(account, plain)),
  );
  const refused = made.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.equal(refused.length, 10);
  for (const reason of refused) {
    assert.ok(GatewayError.is(reason));
    assert.deepEqual([reason.status, reason.code], [409, 'key_limit_reached']);
  }
  const [key] = await keys.list(account);
  assert.ok(key);
  await keys.revoke(account, key.id);
  assert.ok(await keys.create(account, plain));
});

test('the last use is current in the list, before it is stored and after', async (t) => {
  const { keys, ring, uses, clock, database, account } = await opened(t);
  const { key } = await keys.create(account, plain);
  const shown = async () => (await keys.list(account))[0]?.lastUsedAtMs;
  const stored = async () => (await database.apiKeys.list(account))[0]?.lastUsedAtMs;
  assert.equal(await shown(), null);
  clock.move(1000);
  ring.noteUse(key.id);
  assert.equal(await shown(), clock.now());
  assert.equal(await stored(), null);
  await uses.flush();
  assert.equal(await stored(), clock.now());
  assert.equal(await shown(), clock.now());
  clock.move(1000);
  ring.noteUse(key.id);
  assert.equal(await shown(), clock.now());
  await uses.close();
  assert.equal(await stored(), clock.now());
});

async function opened(t: Parameters<typeof AccountFixture.open>[0]) {
  const desk = await AccountFixture.open(t);
  const { keys, ring, uses, clock, database } = desk;
  const signUp = (email: string) => desk.account(email);
  return { desk, keys, ring, uses, clock, database, signUp, account: await desk.account() };
}

function isNotFound(thrown: unknown): boolean {
  return GatewayError.is(thrown) && thrown.code === 'not_found';
}
