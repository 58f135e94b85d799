import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { AccountDesk } from '../../test/support/account-desk.ts';
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
    [key.name, key.pipelineConfig, key.createdAtMs, key.lastUsedAtMs, key.revokedAtMs],
    ['laptop', 'exact-cache', clock.now(), null, null],
  );
  assert.ok(!JSON.stringify(stored).includes(token.slice(12)));
});

test('a change holds what was not named, and a change of nothing changes nothing', async (t) => {
  const { keys, account } = await opened(t);
  const { key } = await keys.create(account, { name: 'laptop', pipelineConfig: 'exact-cache' });
  assert.deepEqual(await keys.change(account, key.id, {}), key);
  assert.deepEqual(await keys.change(account, key.id, { name: 'desk' }), { ...key, name: 'desk' });
  const cleared = await keys.change(account, key.id, { pipelineConfig: null });
  assert.deepEqual(cleared, { ...key, name: 'desk', pipelineConfig: null });
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

async function opened(t: Parameters<typeof AccountDesk.open>[0]) {
  const desk = await AccountDesk.open(t);
  const { keys, ring, uses, clock, database } = desk;
  const signUp = (email: string) => desk.account(email);
  return { keys, ring, uses, clock, database, signUp, account: await desk.account() };
}

function isNotFound(thrown: unknown): boolean {
  return GatewayError.is(thrown) && thrown.code === 'not_found';
}
