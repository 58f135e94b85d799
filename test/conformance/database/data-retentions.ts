import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { retainedDataCleaner } from '../../../src/calls/retained-data-cleaner.ts';
import type { Database } from '../../../src/kernel/ports/records.ts';
import { someMember, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const dayMs = 86_400_000;
const nowMs = 1_763_000_000_000;
const agesInDays = [40, 20, 1];
const kinds = ['recordings', 'archive', 'patterns'] as const;

export function dataRetentionsConformance(setUpDatabase: SetUpDatabase): void {
  describe('retention by kind', () => {
    test('deletes what is older than the account chose, of each kind, and nothing of others or under a hold', async (t) => {
      const { database } = await setUpDatabase(t);
      const { dataRetentions, legalHolds, identities } = database;
      const members = [someMember(), someMember(), someMember()] as const;
      for (const member of members) assert.ok(await identities.add(member));
      const [chosen, held, other] = members.map(({ account }) => account.id);
      assert.ok(chosen !== undefined && held !== undefined && other !== undefined);
      for (const accountId of [chosen, held, other]) await fill(database, accountId);
      for (const accountId of [chosen, held])
        for (const [at, kind] of kinds.entries())
          await dataRetentions.put({ accountId, kind, days: [30, 10, 10][at] ?? 0 });
      await legalHolds.place({ accountId: held, side: 'owner', reason: 'a case', placedAtMs: 1 });

      const cleaner = retainedDataCleaner({
        table: dataRetentions,
        clock: { now: () => nowMs },
        onError: (error) => assert.fail(String(error)),
      });
      await cleaner.run();
      // A page that was read before the hold was placed.
      for (const kind of kinds) await dataRetentions.forget({ accountId: held, kind }, nowMs);
      const all = { recordings: 3, archive: 3, patterns: 3, vectors: 3, room: 0 };
      assert.deepEqual(await left(database, chosen), {
        ...{ recordings: 2, archive: 1, patterns: 1, vectors: 1 },
        // What was deleted counts no longer.
        room: 2,
      });
      for (const accountId of [held, other]) assert.deepEqual(await left(database, accountId), all);

      await legalHolds.release(held, 'owner');
      await cleaner.run();
      assert.deepEqual(await left(database, held), await left(database, chosen));
      assert.deepEqual(await left(database, other), all);
      await cleaner.stop();
    });

    test('a pattern that is confirmed again is as young as that, and an archived item is not', async (t) => {
      const { database } = await setUpDatabase(t);
      const { dataRetentions, collections, identities } = database;
      const member = someMember();
      assert.ok(await identities.add(member));
      const { id: accountId } = member.account;
      await fill(database, accountId);
      for (const module of ['archive', 'patterns'])
        await collections.apply(ownerOf(accountId, module), [entry(module, 'item-40')], nowMs);
      for (const kind of ['archive', 'patterns'] as const)
        await dataRetentions.forget({ accountId, kind }, nowMs - 10 * dayMs);
      assert.deepEqual(await keysOf(database, accountId, 'archive'), ['item-1']);
      assert.deepEqual(await keysOf(database, accountId, 'patterns'), ['item-1', 'item-40']);
      assert.deepEqual((await vectorsOf(database, accountId)).toSorted(), ['item-1', 'item-40']);
    });
  });
}

/** Something of each age and kind; patterns have vectors. */
async function fill({ recordings, collections, vectors }: Database, accountId: string): Promise<void> {
  const sealed = Buffer.alloc(10);
  for (const days of agesInDays) {
    const atMs = nowMs - days * dayMs;
    await recordings.add([{ id: someRequestId(atMs), accountId, sealedBy: 'k', sealed }], 10_000);
    for (const module of ['archive', 'patterns'])
      await collections.apply(ownerOf(accountId, module), [entry(module, `item-${days}`)], atMs);
    const [id, addedAtMs, expiresAtMs] = [`item-${days}`, atMs, nowMs + dayMs];
    const row = {
      id,
      part: `p${days}`,
      space: 's',
      codes: Int8Array.of(1),
      data: '',
      addedAtMs,
      expiresAtMs,
    };
    await vectors.add(ownerOf(accountId, 'patterns'), row, 10);
  }
}

/** What is left of each kind, and how many more entries a collection of three takes. */
async function left(database: Database, accountId: string) {
  const amount = async (kind: (typeof kinds)[number]) =>
    (await database.dataRetentions.stored(accountId, kind, 100)).items;
  return {
    recordings: await amount('recordings'),
    archive: await amount('archive'),
    patterns: await amount('patterns'),
    vectors: (await vectorsOf(database, accountId)).length,
    room: await roomIn(database, accountId),
  };
}

async function roomIn({ collections }: Database, accountId: string): Promise<number> {
  const owner = ownerOf(accountId, 'patterns');
  let room = 0;
  while (Array.isArray(await collections.apply(owner, [entry('patterns', `more-${room}`)], nowMs))) room++;
  const removals = Array.from({ length: room }, (_, at) => ({
    ...entry('patterns', `more-${at}`),
    row: undefined,
  }));
  if (room > 0) await collections.apply(owner, removals, nowMs);
  return room;
}

async function keysOf({ collections }: Database, accountId: string, module: string) {
  const rows = await collections.query(
    { ...ownerOf(accountId, module), collection: module },
    { conditions: [], orderBy: 'key', descending: false, after: undefined, limit: 10, nowMs },
  );
  return rows.map(({ key }) => key);
}

async function vectorsOf({ vectors }: Database, accountId: string): Promise<readonly string[]> {
  const found = await Promise.all(
    agesInDays.map((days) => vectors.find(ownerOf(accountId, 'patterns'), `p${days}`, [`item-${days}`])),
  );
  return found.flat().map(({ id }) => id);
}

function ownerOf(accountId: string, module: string) {
  return { scope: `account:${accountId}`, module };
}

function entry(collection: string, key: string) {
  const content = { value: '{}', sealedBy: null, sealed: null };
  const row = { ...content, columns: {}, bytes: 2, expiresAtMs: undefined };
  return { collection, bounds: { entriesMax: 3 }, key, row, version: undefined };
}
