import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountFixture, testKey } from '../../test/support/account-fixture.ts';
import type { SealedKey } from '../kernel/ports/records.ts';
import { Secret } from '../lib/secret.ts';
import { reseal } from './reseal.ts';
import { Sealer } from './sealer.ts';

const secret = new Secret('sk-ant-api03-the-accounts-own');

test('a stored key opens for its account, and is nowhere to be read', async (t) => {
  const { desk, place, version } = await stage(t);
  const stored = await desk.vault.put(place, secret);
  assert.deepEqual(
    [stored.provider, stored.hint, stored.updatedAtMs],
    ['anthropic', '-own', desk.clock.now()],
  );
  assert.equal((await opened(desk, await version()))?.reveal(), secret.reveal());
  const [row] = await desk.database.providerKeys.ofProvider(place.accountId, place.provider);
  assert.ok(row);
  assert.ok(!Buffer.from(row.sealed).includes(secret.reveal()));
});

test('a short key has no hint', async (t) => {
  const { desk, place } = await stage(t);
  assert.equal((await desk.vault.put(place, new Secret('sk-12345678'))).hint, null);
  assert.equal((await desk.vault.put(place, new Secret('sk-123456789'))).hint, '6789');
});

test('the first key can be put once, also by many at once', async (t) => {
  const { desk, place, version } = await stage(t);
  const tries = await Promise.all(
    Array.from({ length: 5 }, (_, at) => desk.vault.putIfAbsent(place, new Secret(`sk-first-${at}-padding`))),
  );
  const [first] = tries.filter((stored) => stored !== undefined);
  assert.equal(tries.filter((stored) => stored !== undefined).length, 1);
  assert.equal((await opened(desk, await version()))?.reveal().slice(-4), first?.hint);
});

test('several keys open together; those that can’t be opened are left out while others can', async (t) => {
  const { desk, place, version } = await stage(t);
  await desk.vaultSealedBy([testKey(9)]).add(place, new Secret('sk-ant-lost'));
  await desk.vault.add(place, secret, { name: 'mine', weight: 3 });
  const keys = await desk.vault.open(place.accountId, place.provider, await version());
  assert.deepEqual(
    keys.map((key) => [key.secret.reveal(), key.weight]),
    [[secret.reveal(), 3]],
  );
  const [lost, mine] = await desk.vault.keysOf(place);
  assert.deepEqual([lost?.secret, mine?.name, mine?.hint], [undefined, 'mine', '-own']);
  await assert.rejects(desk.vault.add(place, secret), { code: 'invalid_request' });
});

test('an opened key is cached for its version of the account only', async (t) => {
  const { desk, place, version } = await stage(t);
  const before = await version();
  const cached = (current: string) => desk.vault.cached(place.accountId, place.provider, current);
  assert.equal(cached(before), undefined);
  assert.equal(await opened(desk, before), undefined);
  assert.deepEqual(cached(before), { version: before, keys: [] });
  await desk.vault.put(place, secret);
  const after = await version();
  assert.notEqual(after, before);
  assert.equal(cached(after), undefined);
  assert.ok(await opened(desk, after));
  assert.ok(cached(after)?.keys[0]?.secret instanceof Secret);
  assert.equal(cached(before), undefined);
  await desk.vault.delete(place);
  assert.equal(await opened(desk, await version()), undefined);
  assert.deepEqual(await desk.vault.list(place.accountId), []);
});

test('a sealed key that is moved to another account or provider does not open', async (t) => {
  const { desk, place, version } = await stage(t);
  await desk.vault.put(place, secret);
  const [row] = await desk.database.providerKeys.ofProvider(place.accountId, place.provider);
  assert.ok(row);
  const other = await desk.account('eve@example.com');
  const moved: readonly SealedKey[] = [
    { ...row, accountId: other },
    { ...row, provider: 'openai' },
    { ...row, sealed: Buffer.from(row.sealed).fill(0, 20, 21) },
    { ...row, sealed: row.sealed.subarray(0, 20) },
  ];
  for (const key of moved) {
    await desk.database.providerKeys.put(key);
    await desk.shared.versions.renew(key.accountId);
    const current = await desk.shared.versions.of(key.accountId);
    await assert.rejects(async () => desk.vault.open(key.accountId, key.provider, current), {
      code: 'provider_key_unreadable',
    });
  }
  assert.ok(await version());
});

test('the previous key opens, and one that is gone does not', async (t) => {
  const { desk, place, version } = await stage(t);
  await desk.vaultSealedBy([testKey(7)]).put(place, secret);
  const rotated = desk.vaultSealedBy([testKey(8), testKey(7)]);
  const found = await rotated.open(place.accountId, place.provider, await version());
  assert.equal(found[0]?.secret.reveal(), secret.reveal());
  const forgotten = desk.vaultSealedBy([testKey(8)]);
  await assert.rejects(async () => forgotten.open(place.accountId, place.provider, await version()));
});

test('all keys are sealed anew under load, and what changes meanwhile is not overwritten', async (t) => {
  const { desk } = await stage(t);
  const [before, after] = [desk.vaultSealedBy([testKey(7)]), desk.vaultSealedBy([testKey(8), testKey(7)])];
  const providers = Array.from({ length: 250 }, (_, at) => `provider-${String(at).padStart(3, '0')}`);
  for (const provider of providers)
    await before.put({ accountId: 'a', provider }, new Secret(`old-${provider}`));
  const { providerKeys } = desk.database;
  const sealer = new Sealer([testKey(8), testKey(7)]);
  const progress: number[] = [];
  const writes: Promise<unknown>[] = [];
  const { resealed, unreadable } = await reseal({
    providerKeys,
    sealer,
    onProgress({ resealed: soFar }) {
      progress.push(soFar);
      // By a gateway that has the new secret, and by one that has not heard of it yet.
      const [byNew, byOld] = [providers.pop(), providers.pop()];
      if (byNew === undefined || byOld === undefined) return;
      writes.push(after.put({ accountId: 'a', provider: byNew }, new Secret('new')));
      writes.push(before.put({ accountId: 'a', provider: byOld }, new Secret('new')));
    },
  });
  await Promise.all(writes);
  const { resealed: rest } = await reseal({ providerKeys, sealer });
  assert.equal(unreadable, 0);
  assert.ok(progress.length > 1 && resealed + rest >= 240, `${progress} ${resealed} ${rest}`);
  assert.deepEqual(await providerKeys.notSealedBy(sealer.currentKeyId, 10), []);
  const renewed = desk.vaultSealedBy([testKey(8)]);
  for (const provider of providers)
    assert.equal((await renewed.open('a', provider, 'v'))[0]?.secret.reveal(), `old-${provider}`);
  for (const { provider, hint } of await renewed.list('a'))
    if (!providers.includes(provider)) {
      assert.equal((await renewed.open('a', provider, 'v'))[0]?.secret.reveal(), 'new');
      assert.equal(hint, null);
    }
});

test('keys that can’t be opened are counted, and do not keep the others from being sealed anew', async (t) => {
  const { desk } = await stage(t);
  const [lost, before] = [desk.vaultSealedBy([testKey(6)]), desk.vaultSealedBy([testKey(7)])];
  for (let at = 0; at < 120; at++) await lost.put({ accountId: 'a', provider: `p${at}` }, secret);
  for (let at = 0; at < 120; at++) await before.put({ accountId: 'b', provider: `p${at}` }, secret);
  const sealer = new Sealer([testKey(8), testKey(7)]);
  const { providerKeys } = desk.database;
  assert.deepEqual(await reseal({ providerKeys, sealer }), { resealed: 120, unreadable: 120 });
  assert.deepEqual(await reseal({ providerKeys, sealer }), { resealed: 0, unreadable: 120 });
});

async function stage(t: Parameters<typeof AccountFixture.open>[0]) {
  const desk = await AccountFixture.open(t);
  const place = { accountId: await desk.account(), provider: 'anthropic' };
  return { desk, place, version: () => desk.shared.versions.of(place.accountId) };
}

async function opened(desk: AccountFixture, version: string): Promise<Secret | undefined> {
  const ada = await desk.database.identities.byEmail('ada@example.com');
  const [member] = ada === undefined ? [] : await desk.database.members.ofIdentity(ada.id);
  return member && (await desk.vault.open(member.account.id, 'anthropic', version))[0]?.secret;
}
