import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredConfiguration } from '../../../src/kernel/ports/configurations.ts';
import { someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const most = { most: 3, charactersMost: 100 };

function someConfiguration(given: Partial<StoredConfiguration> = {}): StoredConfiguration {
  const id = { accountId: 'local', module: 'router', name: 'prod' };
  return { ...id, content: { rules: [1, { deep: 'ä' }] }, version: 'v1', updatedAtMs: 5, ...given };
}

export function configurationsConformance(setUpDatabase: SetUpDatabase): void {
  describe('configurations', () => {
    test('they come back by module and name, and another replaces one of the same name', async (t) => {
      const { configurations } = (await setUpDatabase(t)).database;
      const [b, a, guard] = [
        someConfiguration({ name: 'b' }),
        someConfiguration({ name: 'a' }),
        someConfiguration({ module: 'guardrails' }),
      ];
      for (const one of [b, a, guard]) assert.equal(await configurations.put(one, most), true);
      await configurations.put(someConfiguration({ accountId: 'other' }), most);
      assert.deepEqual(await configurations.list('local'), [guard, a, b]);
      const changed = { ...a, content: {}, version: 'v2', updatedAtMs: 9 };
      assert.equal(await configurations.put(changed, most), true);
      assert.deepEqual(await configurations.list('local'), [guard, changed, b]);
      assert.equal(await configurations.delete(a), true);
      assert.equal(await configurations.delete(a), false);
      await configurations.forget('local');
      assert.deepEqual(await configurations.list('local'), []);
      assert.equal((await configurations.list('other')).length, 1);
    });

    test('an account has no more than it may, however many are added at once, and no larger ones', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const member = someMember();
      await database.identities.add(member);
      const accountId = member.account.id;
      const both = [database, await open()];
      const tries = Array.from({ length: 10 }, (_, at) =>
        both[at % 2]?.configurations.put(someConfiguration({ accountId, name: `n${at}`, content: {} }), most),
      );
      assert.equal((await Promise.all(tries)).filter((added) => added).length, 3);
      const large = someConfiguration({ name: 'large', content: { text: 'x'.repeat(100) } });
      assert.equal(await database.configurations.put(large, most), false);
    });

    test('none is stored with a credential that has ended', async (t) => {
      const { identities, configurations } = (await setUpDatabase(t)).database;
      const member = someMember();
      await identities.add(member);
      const shown = { kind: 'session', id: 'ended' } as const;
      const one = someConfiguration({ accountId: member.account.id });
      await assert.rejects(configurations.put(one, { ...most, shown }), /was revoked or has expired/);
      assert.deepEqual(await configurations.list(member.account.id), []);
    });
  });
}
