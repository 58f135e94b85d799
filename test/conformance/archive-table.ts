import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { ArchiveRow, ArchiveTable } from '../../src/kernel/ports/archive.ts';

/** One table, as two replicas have it. */
type Replicas = readonly [ArchiveTable, ArchiveTable];

const plenty = 1_000_000;

/** What every home of archives must do, whatever it is made of. */
export function archiveTableConformance(
  name: string,
  open: (t: TestContext) => Replicas | Promise<Replicas>,
): void {
  describe(name, () => {
    test('what is archived comes back as it was, to its account alone, until its time is over', async (t) => {
      const [one, other] = await open(t);
      const row = someRow('a');
      await one.add('s', [row], plenty);
      await one.add('s', [{ ...row, conversation: 'another' }], plenty);
      const found = await other.find('s', 'a', 1999);
      assert.deepEqual({ ...found, sealed: [...(found?.sealed ?? [])] }, { ...row, sealed: [...row.sealed] });
      assert.equal(await other.find('another', 'a', 0), undefined);
      assert.equal(await other.find('s', 'a', 2000), undefined);
      await other.tidy(1999);
      assert.ok(await other.find('s', 'a', 0));
      await other.tidy(2000);
      assert.equal(await one.find('s', 'a', 0), undefined);
    });

    test('of an account that has too much, the oldest goes', async (t) => {
      const [table] = await open(t);
      await table.add('other', [someRow('z', { createdAtMs: 0 })], plenty);
      for (const [at, ref] of ['a', 'b', 'c', 'd'].entries())
        await table.add('s', [someRow(ref, { createdAtMs: at, sealed: new Uint8Array(100) })], 250);
      const kept = await Promise.all(['a', 'b', 'c', 'd'].map((ref) => table.find('s', ref, 0)));
      assert.deepEqual(
        kept.map((row) => row?.ref),
        [undefined, undefined, 'c', 'd'],
      );
      assert.ok(await table.find('other', 'z', 0));
    });

    test('it is removed by its name, with its conversation, with its person, and with its account', async (t) => {
      const [one, other] = await open(t);
      const ofAnn = ['e', 'f'].map((ref) => someRow(ref, { person: 'user-ann' }));
      await one.add('s', [...['a', 'b', 'c'].map((ref) => someRow(ref)), ...ofAnn], plenty);
      await one.add('s', [someRow('d', { conversation: 'elsewhere' })], plenty);
      await one.add('other', [someRow('a')], plenty);
      assert.equal((await other.find('s', 'e', 0))?.person, 'user-ann');
      assert.equal(await other.remove('s', { conversation: 'talk', person: 'user-bob' }), 0);
      assert.equal(await other.remove('s', { ref: 'e', person: 'user-ann' }), 1);
      assert.equal(await other.remove('s', { person: 'user-ann' }), 1);
      assert.equal(await other.remove('s', { ref: 'a' }), 1);
      assert.equal(await other.remove('s', { ref: 'a' }), 0);
      assert.equal(await other.remove('s', { conversation: 'talk' }), 2);
      assert.ok(await one.find('s', 'd', 0));
      await other.forget('s');
      assert.equal(await one.find('s', 'd', 0), undefined);
      assert.ok(await one.find('other', 'a', 0));
    });
  });
}

function someRow(ref: string, over: Partial<ArchiveRow> = {}): ArchiveRow {
  return {
    ref,
    conversation: 'talk',
    person: null,
    createdAtMs: 1000,
    expiresAtMs: 2000,
    sealedBy: 'key',
    sealed: Uint8Array.of(1, 2, 255),
    ...over,
  };
}
