import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SealedKey } from '../../../src/kernel/ports/records.ts';
import { someSealedKey } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function providerKeysConformance(setUpDatabase: SetUpDatabase): void {
  describe('provider keys', () => {
    const plain = (key: SealedKey | undefined) =>
      key === undefined ? undefined : { ...key, sealed: Buffer.from(key.sealed) };

    test('a key comes back byte for byte, replaced by the next', async (t) => {
      const { providerKeys } = (await setUpDatabase(t)).database;
      const sealed = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
      const key = someSealedKey({ sealed, hint: null });
      await providerKeys.put(key);
      assert.deepEqual(plain(await providerKeys.get('local', 'openai')), key);
      const next = someSealedKey({ sealedBy: 'seal-2', sealed: Buffer.alloc(0), updatedAtMs: 7 });
      await providerKeys.put(next);
      assert.deepEqual(plain(await providerKeys.get('local', 'openai')), next);
      assert.equal(await providerKeys.get('local', 'groq'), undefined);
      assert.equal(await providerKeys.get('somebody else', 'openai'), undefined);
    });

    test('a first key is put where there is none, also when many are put at once', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const puts = Array.from({ length: 10 }, (_, at) =>
        both[at % 2]?.providerKeys.putIfAbsent(someSealedKey({ hint: String(at) })),
      );
      const winner = (await Promise.all(puts)).indexOf(true);
      assert.equal((await database.providerKeys.get('local', 'openai'))?.hint, String(winner));
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

    test('keys are sealed anew, unless they were replaced meanwhile', async (t) => {
      const { providerKeys } = (await setUpDatabase(t)).database;
      for (const accountId of ['c', 'a', 'b']) await providerKeys.put(someSealedKey({ accountId }));
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
      assert.deepEqual(plain(await providerKeys.get('a', 'openai')), { ...plain(first), ...after });
      assert.equal(await providerKeys.reseal(first, after), false);
      const replaced = someSealedKey({ accountId: 'b', sealed: Buffer.from('another') });
      await providerKeys.put(replaced);
      assert.equal(await providerKeys.reseal(second, after), false);
      assert.deepEqual(plain(await providerKeys.get('b', 'openai')), replaced);
      const left = await providerKeys.notSealedBy('seal-2', 100);
      assert.deepEqual(
        left.map(({ accountId }) => accountId),
        ['b', 'c'],
      );
    });
  });
}
