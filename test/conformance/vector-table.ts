import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { AddedVectorsPage, VectorRow, VectorTable } from '../../src/kernel/ports/vectors.ts';

/** One table, as two replicas have it. */
type Replicas = readonly [VectorTable, VectorTable];

const owner = { module: 'm', scope: 's' };
const most = 1000;

/** What every home of vectors must do, whatever it is made of. */
export function vectorTableConformance(
  name: string,
  open: (t: TestContext) => Replicas | Promise<Replicas>,
): void {
  describe(name, () => {
    test('a vector comes back as it was added, also to another replica', async (t) => {
      const [one, other] = await open(t);
      const row = someRow('a', { codes: Int8Array.of(-127, -1, 0, 1, 127), data: '{"text": "🌊"}' });
      await one.add(owner, row, most);
      assert.deepEqual(await other.find(owner, 'p', ['a', 'b']), [row]);
      const { data: _, ...withoutData } = row;
      const added = await other.added(owner, { part: 'p' });
      assert.deepEqual(added.rows, [withoutData]);
      assert.deepEqual([added.goesOn, added.isAll], [false, true]);
    });

    test('neither other modules, nor other tenants, nor other parts see it or remove it', async (t) => {
      const [table] = await open(t);
      await table.add(owner, someRow('a'), most);
      for (const another of [
        { module: 'm', scope: 'other' },
        { module: 'other', scope: 's' },
      ]) {
        assert.deepEqual(await table.find(another, 'p', ['a']), []);
        assert.deepEqual((await table.added(another, { part: 'p' })).rows, []);
        await table.remove(another, 'p', ['a']);
        await table.forget(another);
      }
      await table.remove(owner, 'other part', ['a']);
      assert.deepEqual((await table.added(owner, { part: 'other part' })).rows, []);
      assert.equal((await table.find(owner, 'p', ['a'])).length, 1);
    });

    test('a reader gets the changes since its last read, in parts and none twice', async (t) => {
      const [one, other] = await open(t);
      await one.add(owner, someRow('a'), most);
      const first = await other.added(owner, { part: 'p' });
      assert.deepEqual(idsOf(first), ['a']);
      assert.deepEqual(idsOf(await other.added(owner, { part: 'p', since: first })), []);
      await one.add(owner, someRow('b'), most);
      await other.add(owner, someRow('a', { data: 'again' }), most);
      await one.add(owner, someRow('c', { part: 'another' }), most);
      const second = await other.added(owner, { part: 'p', since: first });
      assert.deepEqual([idsOf(second), second.goesOn], [['b', 'a'], true]);
      assert.deepEqual(idsOf(await one.added(owner, { part: 'p', since: second })), []);
      const some = await one.added(owner, { part: 'p', most: 1 });
      const rest = await one.added(owner, { part: 'p', most: 1, since: some });
      assert.deepEqual([idsOf(some), some.isAll, idsOf(rest)], [['b'], false, ['a']]);
      assert.deepEqual(idsOf(await one.added(owner, { part: 'p', most: 1, since: rest })), []);
    });

    test('of all that an owner has the oldest go first, whatever part they are of', async (t) => {
      const [table] = await open(t);
      for (const id of ['a', 'b', 'c']) await table.add(owner, someRow(id), 3);
      await table.add(owner, someRow('a'), 3);
      await table.add(owner, someRow('d', { part: 'another' }), 3);
      await table.add({ module: 'm', scope: 'other' }, someRow('x'), 3);
      assert.deepEqual(idsOf(await table.added(owner, { part: 'p' })), ['c', 'a']);
    });

    test('many who add at once are all seen, and the bound holds', async (t) => {
      const both = await open(t);
      await Promise.all(
        Array.from({ length: 24 }, (_, at) => both[at % 2 === 0 ? 0 : 1].add(owner, someRow(String(at)), 20)),
      );
      assert.equal((await both[0].added(owner, { part: 'p' })).rows.length, 20);
      await both[0].remove(owner, 'p', idsOf(await both[1].added(owner, { part: 'p' })).slice(0, 10));
      for (let at = 0; at < 12; at++) await both[1].add(owner, someRow(`late ${at}`), 20);
      assert.equal((await both[0].added(owner, { part: 'p' })).rows.length, 20);
    });

    test('what is forgotten is gone for everybody, and what comes later is seen again', async (t) => {
      const [one, other] = await open(t);
      for (const id of ['a', 'b']) await one.add(owner, someRow(id), most);
      await one.add({ module: 'n', scope: 's' }, someRow('c'), most);
      const known = await other.added(owner, { part: 'p' });
      await one.forget(owner);
      const after = await other.added(owner, { part: 'p', since: known });
      assert.deepEqual([idsOf(after), after.goesOn], [[], false]);
      await one.add(owner, someRow('d'), most);
      assert.deepEqual(idsOf(await other.added(owner, { part: 'p', since: known })), ['d']);
      assert.equal((await one.find({ module: 'n', scope: 's' }, 'p', ['c'])).length, 1);
      await one.forget({ scope: 's' });
      assert.equal((await one.find({ module: 'n', scope: 's' }, 'p', ['c'])).length, 0);
    });

    test('those whose time is over are deleted', async (t) => {
      const [table] = await open(t);
      await table.add(owner, someRow('over', { expiresAtMs: 10 }), most);
      await table.add(owner, someRow('open', { expiresAtMs: 11 }), most);
      await table.add({ module: 'm', scope: 'other' }, someRow('over', { expiresAtMs: 9 }), most);
      while (await table.tidy(10));
      assert.deepEqual(idsOf(await table.added(owner, { part: 'p' })), ['open']);
      assert.deepEqual((await table.added({ module: 'm', scope: 'other' }, { part: 'p' })).rows, []);
    });
  });
}

function someRow(id: string, over: Partial<VectorRow> = {}): VectorRow {
  const codes = Int8Array.of(1, 2, 3);
  return { id, part: 'p', space: 'x/3', codes, data: '', addedAtMs: 1, expiresAtMs: 1e12, ...over };
}

function idsOf({ rows }: AddedVectorsPage): readonly string[] {
  return rows.map(({ id }) => id);
}
