import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogPage } from '../../../src/kernel/ports/request-log.ts';
import { olderCursor, readPage, someCalls } from './request-log-samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function requestLogPagesConformance(setUpDatabase: SetUpDatabase): void {
  describe('pages of the request log', () => {
    test('pages go on where the last one ended, in both directions', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = someCalls(7);
      await requests.add(calls.toReversed());
      const ids = calls.map(({ id }) => id).toReversed();
      const first = await readPage(requests, { limit: 3 });
      assert.deepEqual(summarizePage(first), { ids: ids.slice(0, 3), more: true, reached: ids[2] });
      const second = await readPage(requests, { limit: 3, beside: olderCursor(first) });
      assert.deepEqual(summarizePage(second), { ids: ids.slice(3, 6), more: true, reached: ids[5] });
      const third = await readPage(requests, { limit: 3, beside: olderCursor(second) });
      assert.deepEqual(summarizePage(third), { ids: ids.slice(6), more: false, reached: ids[6] });
      const beyond = await readPage(requests, { limit: 3, beside: olderCursor(third) });
      assert.deepEqual(summarizePage(beyond), { ids: [], more: false, reached: undefined });

      const back = await readPage(requests, { limit: 4, beside: { id: ids[6] ?? '', side: 'newer' } });
      assert.deepEqual(summarizePage(back), { ids: ids.slice(2, 6), more: true, reached: ids[2] });
      const newest = await readPage(requests, { limit: 4, beside: { id: ids[2] ?? '', side: 'newer' } });
      assert.deepEqual(summarizePage(newest), { ids: ids.slice(0, 2), more: false, reached: ids[0] });
      const exact = await readPage(requests, { limit: 7 });
      assert.deepEqual([exact.calls.length, exact.more], [7, false]);
    });

    test('a page goes on from a call that is gone, and new calls don’t move it', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = someCalls(6);
      await requests.add(calls.slice(0, 5));
      const ids = calls.map(({ id }) => id).toReversed();
      const first = await readPage(requests, { limit: 2 });
      await requests.add(calls.slice(5));
      const second = await readPage(requests, { limit: 2, beside: olderCursor(first) });
      assert.deepEqual(summarizePage(second).ids, ids.slice(3, 5));
      await requests.forget(ids[4] ?? '', 100);
      assert.deepEqual(summarizePage(await readPage(requests, { beside: olderCursor(second) })).ids, []);
    });

    test('calls sorted by cost, duration or tokens, of those that match', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const figures = [3, 1, 4, 2, 5];
      const calls = someCalls(5, (at) => ({
        accountId: at === 4 ? 'another' : 'account',
        costNanoUsd: at === 3 ? null : (figures[at] ?? 0),
        totalMs: 10 - (figures[at] ?? 0),
        ...{ inputTokens: 0, cacheReadTokens: null, cacheWriteTokens: 0, outputTokens: figures[at] ?? 0 },
        client: at === 2 ? 'one' : 'other',
      }));
      await requests.add(calls);
      const sorted = async (query: object) => {
        const { calls: found, more } = await readPage(requests, { accountId: 'account', ...query });
        assert.equal(more, false);
        return found.map(({ id }) => calls.findIndex((call) => call.id === id));
      };
      assert.deepEqual(await sorted({ sort: 'cost' }), [2, 0, 1, 3]);
      assert.deepEqual(await sorted({ sort: 'duration' }), [1, 3, 0, 2]);
      assert.deepEqual(await sorted({ sort: 'tokens', limit: 2 }), [2, 0]);
      assert.deepEqual(await sorted({ sort: 'cost', filter: { client: 'other' } }), [0, 1, 3]);
      assert.deepEqual(await sorted({ sort: 'cost', accountId: undefined }), [4, 2, 0, 1, 3]);
    });

    test('an account sees its own calls only, and who may see all sees them in one order', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = someCalls(9, (at) => ({ accountId: `account ${at % 3}` }));
      await requests.add(calls);
      const all = calls.toReversed();
      for (const accountId of ['account 0', 'account 1', 'account 2', 'nobody']) {
        const own = all.filter((call) => call.accountId === accountId);
        assert.deepEqual((await readPage(requests, { accountId })).calls, own);
      }
      assert.deepEqual((await readPage(requests)).calls, all);
    });
  });
}

function summarizePage({ calls, more, reached }: LogPage) {
  return { ids: calls.map(({ id }) => id), more, reached };
}
