import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import type { ApiKeyChanges } from '../../../src/kernel/ports/records.ts';
import { someKey, someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function apiKeysConformance(setUpDatabase: SetUpDatabase): void {
  describe('API keys', () => {
    const withMember = async (t: TestContext) => {
      const openDatabaseFixture = await setUpDatabase(t);
      const member = someMember();
      await openDatabaseFixture.database.identities.add(member);
      return { ...openDatabaseFixture, member };
    };

    test('keys come back as they were added, the newest first', async (t) => {
      const { database, member } = await withMember(t);
      const old = someKey(member.account.id, {
        name: 'old',
        createdAtMs: 1,
        lastUsedAtMs: 2,
        pipelineConfig: '',
      });
      const young = someKey(member.account.id, {
        name: 'Zürich 🌊',
        createdAtMs: 3,
        pipelineConfig: 'cost-guard',
      });
      for (const key of [old, young]) assert.equal(await database.apiKeys.add(key, 100), true);
      assert.deepEqual(await database.apiKeys.list(member.account.id), [young, old]);
      assert.deepEqual(await database.apiKeys.list('somebody else'), []);
    });

    test('access rules come back as they were, change one by one, and are gone when all are cleared', async (t) => {
      const { database, member } = await withMember(t);
      const access = {
        models: ['claude-*', 'Zürich 🌊'],
        providers: [],
        tools: ['github__*'],
        pipelines: ['none'],
        addresses: ['::/0'],
        expiresAtMs: 4_102_444_800_000,
        endUser: 'ada',
      };
      const key = someKey(member.account.id, { access });
      await database.apiKeys.add(key, 100);
      assert.deepEqual(await database.apiKeys.byId(key.id), key);
      const [found] = await database.apiKeys.active(key.prefix);
      assert.deepEqual(found?.key, key);
      const change = async (rules: NonNullable<ApiKeyChanges['access']>) =>
        (await database.apiKeys.change(member.account.id, key.id, { access: rules }))?.access;
      await Promise.all([change({ models: null }), change({ endUser: 'bob' })]);
      assert.deepEqual(await change({}), { ...access, models: undefined, endUser: 'bob' });
      const lists = { providers: null, tools: null, pipelines: null, addresses: null };
      assert.equal(await change({ ...lists, expiresAtMs: null, endUser: null }), undefined);
    });

    test('a key is found by its prefix with its account, until it is revoked', async (t) => {
      const { database } = await setUpDatabase(t);
      const member = someMember({ tier: 'pro', period: { startMs: 5, endMs: 6 } });
      await database.identities.add(member);
      const keys = [
        someKey(member.account.id),
        someKey(member.account.id),
        someKey(member.account.id, { prefix: 'gw_live_other' }),
      ];
      for (const key of keys) await database.apiKeys.add(key, 100);
      const [first, second] = keys;
      assert.ok(first !== undefined && second !== undefined);
      const { account } = member;
      const found = await database.apiKeys.active('gw_live_abcd');
      assert.deepEqual(
        found.toSorted((one) => (one.key.id === first.id ? -1 : 1)),
        [first, second].map((key) => ({ key, account, isClosed: false })),
      );
      assert.equal(await database.apiKeys.revoke(member.account.id, first.id, 7), true);
      assert.deepEqual(await database.apiKeys.active('gw_live_abcd'), [
        { key: second, account, isClosed: false },
      ]);
      assert.deepEqual(await database.apiKeys.active('gw_live_none'), []);
    });

    test('a key is revoked once, by its own account, and stays in the list', async (t) => {
      const { database, member } = await withMember(t);
      const key = someKey(member.account.id);
      await database.apiKeys.add(key, 100);
      assert.equal(await database.apiKeys.revoke('somebody else', key.id, 7), false);
      assert.equal(await database.apiKeys.revoke(member.account.id, randomUUID(), 7), false);
      const done = await Promise.all(
        [8, 8, 8].map((at) => database.apiKeys.revoke(member.account.id, key.id, at)),
      );
      assert.equal(done.filter((revoked) => revoked).length, 1);
      assert.deepEqual(await database.apiKeys.list(member.account.id), [{ ...key, revokedAtMs: 8 }]);
    });

    test('a key is changed by its own account, in what is named and nothing else', async (t) => {
      const { database, member } = await withMember(t);
      const key = someKey(member.account.id, { name: 'a', pipelineConfig: 'exact-cache' });
      const { id } = key;
      await database.apiKeys.add(key, 100);
      const change = database.apiKeys.change.bind(database.apiKeys);
      assert.deepEqual(await change(member.account.id, id, {}), key);
      assert.deepEqual(await change(member.account.id, id, { name: 'b' }), { ...key, name: 'b' });
      const both = { name: '', pipelineConfig: null };
      assert.deepEqual(await change(member.account.id, id, both), { ...key, ...both });
      assert.equal(await change('somebody else', id, { name: 'c' }), undefined);
      assert.equal(await change('somebody else', id, {}), undefined);
      await database.apiKeys.revoke(member.account.id, id, 9);
      assert.equal(await change(member.account.id, id, { name: 'd' }), undefined);
      assert.equal(await change(member.account.id, id, {}), undefined);
      assert.deepEqual(await database.apiKeys.list(member.account.id), [{ ...key, ...both, revokedAtMs: 9 }]);
    });

    test('an account never has more keys in use than it may, however many are added at once', async (t) => {
      const { open, database, member } = await withMember(t);
      const other = await open();
      const neighbour = someMember();
      await database.identities.add(neighbour);
      for (let at = 0; at < 3; at++) {
        const key = someKey(member.account.id);
        await database.apiKeys.add(key, 10);
        if (at === 0) await database.apiKeys.revoke(member.account.id, key.id, 1);
      }
      const tries = Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? database : other).apiKeys.add(someKey(member.account.id), 10),
      );
      const beside = database.apiKeys.add(someKey(neighbour.account.id), 10);
      assert.equal((await Promise.all(tries)).filter((added) => added).length, 8);
      assert.equal(await beside, true);
      const keys = await database.apiKeys.list(member.account.id);
      assert.equal(keys.filter(({ revokedAtMs }) => revokedAtMs === null).length, 10);
    });

    test('a key without an account is rejected', async (t) => {
      const { database } = await setUpDatabase(t);
      await assert.rejects(database.apiKeys.add(someKey('nobody'), 100));
    });

    test('the last use of keys only moves on', async (t) => {
      const { database, member } = await withMember(t);
      const keys = [0, 1, 2].map((at) =>
        someKey(member.account.id, { createdAtMs: 10 - at, lastUsedAtMs: at === 2 ? 50 : null }),
      );
      for (const key of keys) await database.apiKeys.add(key, 100);
      const lastUses = async () =>
        (await database.apiKeys.list(member.account.id)).map(({ lastUsedAtMs }) => lastUsedAtMs);
      const at = (...times: readonly number[]) =>
        new Map(keys.map(({ id }, index) => [id, times[index] ?? 0]));
      await database.apiKeys.touch(at(0, 20, 40));
      assert.deepEqual(await lastUses(), [0, 20, 50]);
      await database.apiKeys.touch(new Map([['unknown', 99], ...at(1_763_000_000_123, 10, 60)]));
      assert.deepEqual(await lastUses(), [1_763_000_000_123, 20, 60]);
      await database.apiKeys.touch(new Map());
      assert.deepEqual(await lastUses(), [1_763_000_000_123, 20, 60]);
    });

    test('many keys are touched at once, by several, in whatever order', async (t) => {
      const { open, database, member } = await withMember(t);
      const other = await open();
      const keys = Array.from({ length: 30 }, () => someKey(member.account.id));
      for (const key of keys) await database.apiKeys.add(key, 100);
      const unknown = Array.from({ length: 1500 }, (_, at) => [`unknown ${at}`, at] as const);
      const rounds = Array.from({ length: 10 }, (_, round) => {
        const known = (round % 3 === 0 ? keys : keys.toReversed()).map(
          ({ id }) => [id, 100 + round] as const,
        );
        return (round % 2 === 0 ? database : other).apiKeys.touch(new Map([...unknown, ...known]));
      });
      await Promise.all(rounds);
      const uses = (await database.apiKeys.list(member.account.id)).map(({ lastUsedAtMs }) => lastUsedAtMs);
      assert.deepEqual(
        uses,
        keys.map(() => 109),
      );
    });
  });
}
