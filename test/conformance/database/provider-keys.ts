import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database, SealedKey } from '../../../src/kernel/ports/records.ts';
import { someSealedKey } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function providerKeysConformance(setUpDatabase: SetUpDatabase): void {
  describe('provider keys', () => {
    const plain = (key: SealedKey | undefined) =>
      key === undefined ? undefined : { ...key, sealed: Buffer.from(key.sealed) };
    const firstOf = async ({ providerKeys }: Database, accountId = 'local', provider = 'openai') =>
      plain((await providerKeys.ofProvider(accountId, provider))[0]);
    const idsOf = async ({ providerKeys }: Database) =>
      (await providerKeys.ofProvider('local', 'openai')).map(({ id }) => id);

    test('a key comes back byte for byte, replaced by the next', async (t) => {
      const { database } = await setUpDatabase(t);
      const { providerKeys } = database;
      const sealed = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
      const key = someSealedKey({ sealed, hint: null });
      await providerKeys.put(key);
      assert.deepEqual(await firstOf(database), key);
      const next = someSealedKey({ sealedBy: 'seal-2', sealed: Buffer.alloc(0), updatedAtMs: 7 });
      // The one that is replaced keeps its id, name and weight.
      await providerKeys.put({ ...next, id: 'another', name: 'other', weight: 2 });
      assert.deepEqual(await firstOf(database), next);
      assert.equal(await firstOf(database, 'local', 'groq'), undefined);
      assert.equal(await firstOf(database, 'somebody else'), undefined);
    });

    test('a first key is put where there is none, also when many are put at once', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const puts = Array.from({ length: 10 }, (_, at) =>
        both[at % 2]?.providerKeys.putIfAbsent(someSealedKey({ hint: String(at) })),
      );
      const winner = (await Promise.all(puts)).indexOf(true);
      assert.equal((await firstOf(database))?.hint, String(winner));
      assert.equal(await database.providerKeys.putIfAbsent(someSealedKey()), false);
      assert.equal(await database.providerKeys.putIfAbsent(someSealedKey({ provider: 'groq' })), true);
    });

    test('keys are listed by provider and deleted one by one', async (t) => {
      const { providerKeys } = (await setUpDatabase(t)).database;
      const names = ['openai', 'Xai', 'ähnlich', 'anthropic', 'x-ai', 'x_ai'];
      for (const provider of names) await providerKeys.put(someSealedKey({ provider }));
      await providerKeys.put(someSealedKey({ accountId: 'somebody else' }));
      const listed = (await providerKeys.list('local')).map(({ provider }) => provider);
      assert.deepEqual(listed, ['Xai', 'anthropic', 'openai', 'x-ai', 'x_ai', 'ähnlich']);
      assert.equal(await providerKeys.delete('local', 'openai'), true);
      assert.equal(await providerKeys.delete('local', 'openai'), false);
      assert.equal((await providerKeys.list('local')).length, 5);
      assert.equal((await providerKeys.list('somebody else')).length, 1);
    });

    test('a provider has several keys, each with its name and weight, up to a maximum', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const added = Array.from({ length: 8 }, (_, at) =>
        someSealedKey({ id: `key-${at}`, name: `name ${at}`, weight: at + 1, updatedAtMs: 100 - at }),
      );
      const isAdded = await Promise.all(added.map((key, at) => both[at % 2]?.providerKeys.add(key, 5)));
      assert.equal(isAdded.filter((is) => is).length, 5);
      const [first, ...others] = await database.providerKeys.ofProvider('local', 'openai');
      assert.deepEqual(
        others.map(({ id }) => id),
        others.toSorted((one, other) => one.updatedAtMs - other.updatedAtMs).map(({ id }) => id),
      );
      for (const key of [first, ...others])
        assert.deepEqual(
          plain(key),
          added.find(({ id }) => id === key?.id),
        );
      assert.deepEqual(
        (await database.providerKeys.list('local')).map(({ id }) => id),
        [first?.id],
      );
      assert.equal(await database.providerKeys.add(someSealedKey({ provider: 'groq' }), 5), true);
    });

    test('one key is deleted without the others; the oldest of them takes the place of the first', async (t) => {
      const { database } = await setUpDatabase(t);
      const { providerKeys } = database;
      for (const [at, id] of ['a', 'b', 'c', 'd'].entries())
        await providerKeys.add(someSealedKey({ id, name: id, updatedAtMs: at }), 9);
      const remove = (id: string, provider = 'openai') =>
        providerKeys.deleteOne({ accountId: 'local', provider, id });
      assert.deepEqual(
        [await remove('x'), await remove('a', 'groq'), await remove('c')],
        [false, false, true],
      );
      assert.deepEqual(await idsOf(database), ['a', 'b', 'd']);
      assert.equal(await remove('a'), true);
      assert.deepEqual(await idsOf(database), ['b', 'd']);
      assert.deepEqual(await firstOf(database), someSealedKey({ id: 'b', name: 'b', updatedAtMs: 1 }));
      assert.deepEqual([await remove('d'), await remove('b'), await remove('b')], [true, true, false]);
      for (const id of ['a', 'b']) await providerKeys.add(someSealedKey({ id }), 9);
      await providerKeys.delete('local', 'openai');
      assert.deepEqual(await idsOf(database), []);
    });

    test('keys are sealed anew, unless they were replaced meanwhile', async (t) => {
      const { database } = await setUpDatabase(t);
      const { providerKeys } = database;
      for (const accountId of ['c', 'a', 'b']) await providerKeys.put(someSealedKey({ accountId }));
      await providerKeys.add(someSealedKey({ accountId: 'c', id: 'key-2' }), 9);
      await providerKeys.put(someSealedKey({ accountId: 'd', sealedBy: 'seal-2' }));
      const old = await providerKeys.notSealedBy('seal-2', 2);
      assert.deepEqual(
        old.map(({ accountId }) => accountId),
        ['a', 'b'],
      );
      const [first, second] = old;
      assert.ok(first !== undefined && second !== undefined);
      const after = { sealed: Buffer.from('anew'), sealedBy: 'seal-2' };
      assert.equal(await providerKeys.reseal(first, after), true);
      assert.deepEqual(await firstOf(database, 'a'), { ...plain(first), ...after });
      assert.equal(await providerKeys.reseal(first, after), false);
      const replaced = someSealedKey({ accountId: 'b', sealed: Buffer.from('another') });
      await providerKeys.put(replaced);
      assert.equal(await providerKeys.reseal(second, after), false);
      assert.deepEqual(await firstOf(database, 'b'), replaced);
      const left = await providerKeys.notSealedBy('seal-2', 100);
      assert.deepEqual(
        left.map(({ accountId, id }) => [accountId, id]),
        [
          ['b', 'key-1'],
          ['c', 'key-1'],
          ['c', 'key-2'],
        ],
      );
      const last = left.at(-1);
      assert.ok(last !== undefined && (await providerKeys.reseal(last, after)));
      assert.deepEqual(plain((await providerKeys.ofProvider('c', 'openai'))[1]), {
        ...plain(last),
        ...after,
      });
    });
  });
}
