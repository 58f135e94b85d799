import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AddPromptOptions, StoredPromptVersion } from '../../../src/kernel/ports/prompts.ts';
import { someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const most = { promptsMost: 2, versionsMost: 4, charactersMost: 1000, labelsMost: 2 };
const first: AddPromptOptions = { ...most, isFirst: true, labels: [] };
const next: AddPromptOptions = { ...most, isFirst: false, labels: [] };

function someVersion(given: Partial<StoredPromptVersion> = {}): Omit<StoredPromptVersion, 'version'> {
  const id = { accountId: 'local', name: 'p', id: 'id' };
  return { ...id, content: { system: 'ä {{x}}' }, note: null, createdAtMs: 5, ...given };
}

export function promptsConformance(setUpDatabase: SetUpDatabase): void {
  describe('prompts', () => {
    test('have versions with numbers, and labels that move', async (t) => {
      const { prompts } = (await setUpDatabase(t)).database;
      const p = { accountId: 'local', name: 'p' };
      assert.equal(await prompts.add(someVersion(), next), 'unknown');
      assert.equal(await prompts.add(someVersion({ id: 'a' }), { ...first, labels: ['prod'] }), 1);
      assert.equal(await prompts.add(someVersion(), first), 'exists');
      assert.equal(await prompts.add(someVersion({ id: 'b', note: 'n', createdAtMs: 6 }), next), 2);
      await prompts.add(someVersion({ accountId: 'other', id: 'c' }), first);
      const versions = [
        { version: 1, id: 'a', note: null, createdAtMs: 5 },
        { version: 2, id: 'b', note: 'n', createdAtMs: 6 },
      ];
      const list = async () => prompts.list('local');
      const prod = { label: 'prod', version: 1, updatedAtMs: 5 };
      assert.deepEqual(await list(), [{ name: 'p', versions, labels: [prod] }]);
      assert.deepEqual(await prompts.find(p, 2), {
        ...someVersion({ id: 'b', note: 'n', createdAtMs: 6 }),
        version: 2,
      });
      assert.equal(await prompts.find(p, 3), undefined);
      const options = { atMs: 9, labelsMost: 2 };
      assert.equal(await prompts.setLabel(p, { label: 'prod', version: 3 }, options), 'unknown');
      assert.equal(await prompts.setLabel(p, { label: 'prod', version: 2 }, options), 'set');
      assert.equal(await prompts.setLabel(p, { label: 'b', version: 1 }, options), 'set');
      assert.equal(await prompts.setLabel(p, { label: 'c', version: 1 }, options), 'labels');
      assert.equal(await prompts.deleteVersion(p, 1), 'used');
      assert.equal(await prompts.deleteLabel(p, 'b'), true);
      assert.equal(await prompts.deleteLabel(p, 'b'), false);
      assert.equal(await prompts.deleteVersion(p, 1), 'deleted');
      assert.equal(await prompts.deleteVersion(p, 1), 'unknown');
      assert.equal(await prompts.deleteVersion(p, 2), 'used');
      assert.equal(await prompts.delete(p), true);
      assert.equal(await prompts.delete(p), false);
      assert.deepEqual(await list(), []);
      assert.equal((await prompts.list('other')).length, 1);
      await prompts.forget('other');
      assert.deepEqual(await prompts.list('other'), []);
    });

    test('of an account are no more than it may have, however many are added at once', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const member = someMember();
      await database.identities.add(member);
      const accountId = member.account.id;
      const both = [database, await open()];
      const all = (count: number, name: (at: number) => string, options: AddPromptOptions) =>
        Promise.all(
          Array.from({ length: count }, (_, at) =>
            both[at % 2]?.prompts.add(someVersion({ accountId, name: name(at), id: `${at}` }), options),
          ),
        );
      assert.equal((await all(6, (at) => `p${at}`, first)).filter((added) => added === 1).length, 2);
      const [{ name = '' } = {}] = await database.prompts.list(accountId);
      const numbers = (await all(6, () => name, next)).filter((added) => typeof added === 'number');
      assert.deepEqual(numbers.toSorted(), [2, 3]);
      const large = someVersion({ accountId, name, content: { system: 'x'.repeat(1000) } });
      assert.equal(await database.prompts.add(large, { ...next, versionsMost: 99 }), 'full');
    });

    test('are not stored with a credential that has ended', async (t) => {
      const { database } = await setUpDatabase(t);
      const member = someMember();
      await database.identities.add(member);
      const shown = { kind: 'session', id: 'ended' } as const;
      const version = someVersion({ accountId: member.account.id });
      await assert.rejects(database.prompts.add(version, { ...first, shown }));
      assert.deepEqual(await database.prompts.list(member.account.id), []);
    });
  });
}
