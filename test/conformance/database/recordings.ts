import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordingFilter, RecordingRow } from '../../../src/kernel/ports/recordings.ts';
import type { LoggedCall } from '../../../src/kernel/ports/request-log.ts';
import { firstIdAt, timeOfId } from '../../../src/kernel/request-id.ts';
import { limits } from '../../../src/storage/limits.ts';
import { someCall } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const plenty = 1_000_000_000;
const everything = { fromId: '', beforeId: undefined, limit: 1000 };

export function recordingsConformance(setUpDatabase: SetUpDatabase): void {
  describe('recordings', () => {
    test('a recording comes back as it was added, to its account only', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const other = (await open()).recordings;
      const row = someRow('a', 1);
      await database.recordings.add([row], plenty);
      await database.recordings.add([{ ...row, sealedBy: 'another' }], plenty);
      const found = await other.find('a', row.id);
      assert.deepEqual({ ...found, sealed: [...(found?.sealed ?? [])] }, { ...row, sealed: [...row.sealed] });
      assert.equal(await other.find('b', row.id), undefined);
      assert.equal(await other.remove('b', row.id), false);
      assert.equal(await other.remove('a', row.id), true);
      assert.equal(await other.remove('a', row.id), false);
      assert.equal(await database.recordings.find('a', row.id), undefined);
    });

    test('a list has the newest first, between two ids', async (t) => {
      const { recordings } = (await setUpDatabase(t)).database;
      const rows = [1, 2, 3, 4].map((ms) => someRow('a', ms));
      await recordings.add([...rows, someRow('b', 5)], plenty);
      const [first, second, third, last] = rows.map(({ id }) => id);
      const ids = async (over: object) =>
        (await recordings.page({ ...everything, accountId: 'a', ...over })).map(({ id }) => id);
      assert.deepEqual(await ids({}), [last, third, second, first]);
      assert.deepEqual(await ids({ limit: 2 }), [last, third]);
      assert.deepEqual(await ids({ beforeId: third }), [second, first]);
      assert.deepEqual(await ids({ fromId: third }), [last, third]);
      const [newest] = await recordings.page({ ...everything, accountId: 'a' });
      assert.equal(newest?.bytes, 3);
    });

    test('a filtered list has the log’s rows of the calls, in steps', async (t) => {
      const { recordings, requests } = (await setUpDatabase(t)).database;
      const call = (ms: number, over: Partial<LoggedCall> = {}) =>
        someCall({ id: someRow('a', ms).id, accountId: 'a', costNanoUsd: 5, ...over });
      const errors = { model: 'm', status: 429, keyId: 'k' };
      const { recordingSearchRows: step } = limits;
      // More than a step has none that match.
      const many = Array.from({ length: step + 5 }, (_, at) => someRow('a', 10 + at));
      await recordings.add(
        [...[1, 2, 3].map((ms) => someRow('a', ms, 3 + ms)), ...many, someRow('b', 4)],
        plenty,
      );
      await requests.add([
        call(1, { modelAsked: errors.model, modelUsed: null, status: errors.status, keyId: errors.keyId }),
        call(2, { modelUsed: errors.model, costNanoUsd: 10 }),
      ]);
      const search = (filter: RecordingFilter, over: object = {}) =>
        recordings.search({ ...everything, accountId: 'a', limit: 2, filter, ...over });
      const found = async (filter: RecordingFilter, over: object = {}) =>
        (await search(filter, over)).recordings.map(({ id }) => timeOfId(id));
      assert.deepEqual(await found({ model: errors.model }), [2, 1]);
      assert.deepEqual(await found({ model: errors.model, keyId: errors.keyId }), [1]);
      assert.deepEqual(await found({ status: 'error' }), [1]);
      assert.deepEqual(await found({ status: { least: 200, greatest: 299 } }), [2]);
      assert.deepEqual(await found({ costNanoUsdMin: 6 }), [2]);
      assert.deepEqual(await found({ bytesMin: 5 }), [3, 2]);
      assert.deepEqual(await found({ bytesMin: 5 }, { fromId: someRow('a', 3).id }), [3]);
      const newest = await search({});
      assert.deepEqual(
        newest.recordings.map(({ id, bytes, call: known }) => [timeOfId(id), bytes, known]),
        [step + 14, step + 13].map((ms) => [ms, 3, null]),
      );
      assert.equal(newest.next, newest.recordings[1]?.id);
      const oldest = await search({}, { beforeId: someRow('a', 3).id });
      assert.deepEqual(
        oldest.recordings.map(({ call: known }) => known?.costNanoUsd),
        [10, 5],
      );
      assert.equal(oldest.next, undefined);
      const first = await search({ bytesMin: 4 }, { limit: 1 });
      assert.equal(first.next, someRow('a', 3).id);
      assert.equal((await search({ bytesMin: 6 }, { beforeId: first.next })).next, undefined);
    });

    test('of an account with too many bytes, the oldest recordings are deleted', async (t) => {
      const { recordings } = (await setUpDatabase(t)).database;
      await recordings.add([someRow('b', 1, 300)], plenty);
      for (const ms of [1, 2, 3, 4]) await recordings.add([someRow('a', ms, 100)], 250);
      await recordings.add([someRow('a', 5, 251)], 250);
      const left = await recordings.page({ ...everything, accountId: 'a' });
      assert.deepEqual(
        left.map(({ id }) => id),
        [4, 3].map((ms) => someRow('a', ms).id),
      );
      assert.equal((await recordings.page({ ...everything, accountId: 'b' })).length, 1);
    });

    test('recordings are deleted by age, by the size of all together, and with their account', async (t) => {
      const { recordings } = (await setUpDatabase(t)).database;
      const count = limits.recordingRowsAtOnce + 5;
      await recordings.add(
        Array.from({ length: count }, (_, ms) => someRow(ms % 2 === 0 ? 'a' : 'b', ms, 10)),
        plenty,
      );
      assert.equal(await recordings.newestBeyond(count * 10), undefined);
      assert.equal(await recordings.newestBeyond(15), someRow('', count - 2).id);
      assert.equal(await recordings.forgetBefore(firstIdAt(count - 3)), true);
      assert.equal(await recordings.forgetBefore(firstIdAt(count - 3)), false);
      const sizes = async () =>
        [
          await recordings.page({ ...everything, accountId: 'a' }),
          await recordings.page({ ...everything, accountId: 'b' }),
        ].map(({ length }) => length);
      assert.deepEqual(await sizes(), [2, 1]);
      await recordings.forget('a');
      assert.deepEqual(await sizes(), [0, 1]);
    });

    test('a recording of megabytes is stored', async (t) => {
      const { recordings } = (await setUpDatabase(t)).database;
      const bytes = 2 * limits.recordingBytesAtOnce;
      await recordings.add([someRow('a', 1, bytes), someRow('a', 2, bytes)], plenty);
      assert.equal((await recordings.find('a', someRow('a', 2).id))?.sealed.byteLength, bytes);
    });
  });
}

function someRow(accountId: string, ms: number, bytes = 3): RecordingRow {
  return {
    id: `${firstIdAt(ms)}${'0'.repeat(20)}`,
    accountId,
    sealedBy: 'key',
    sealed: new Uint8Array(bytes).fill(7),
  };
}
