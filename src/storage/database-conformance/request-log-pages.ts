import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogPage } from '../../kernel/ports/request-log.ts';
import { callsOf, older, page } from './request-log-samples.ts';
import type { SetUp } from './set-up.ts';

export function requestLogPagesConformance(setUp: SetUp): void {
  describe('pages of the request log', () => {
    test('pages go on where the last one ended, in both directions', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(7);
      await requests.add(calls.toReversed());
      const ids = calls.map(({ id }) => id).toReversed();
      const first = await page(requests, { limit: 3 });
      assert.deepEqual(shown(first), { ids: ids.slice(0, 3), more: true, reached: ids[2] });
      const second = await page(requests, { limit: 3, beside: older(first) });
      assert.deepEqual(shown(second), { ids: ids.slice(3, 6), more: true, reached: ids[5] });
      const third = await page(requests, { limit: 3, beside: older(second) });
      assert.deepEqual(shown(third), { ids: ids.slice(6), more: false, reached: ids[6] });
      const beyond = await page(requests, { limit: 3, beside: older(third) });
      assert.deepEqual(shown(beyond), { ids: [], more: false, reached: undefined });

      const back = await page(requests, { limit: 4, beside: { id: ids[6] ?? '', side: 'newer' } });
      assert.deepEqual(shown(back), { ids: ids.slice(2, 6), more: true, reached: ids[2] });
      const newest = await page(requests, { limit: 4, beside: { id: ids[2] ?? '', side: 'newer' } });
      assert.deepEqual(shown(newest), { ids: ids.slice(0, 2), more: false, reached: ids[0] });
      const exact = await page(requests, { limit: 7 });
      assert.deepEqual([exact.calls.length, exact.more], [7, false]);
    });

    test('a page goes on from a call that is gone, and new calls don’t move it', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(6);
      await requests.add(calls.slice(0, 5));
      const ids = calls.map(({ id }) => id).toReversed();
      const first = await page(requests, { limit: 2 });
      await requests.add(calls.slice(5));
      const second = await page(requests, { limit: 2, beside: older(first) });
      assert.deepEqual(shown(second).ids, ids.slice(3, 5));
      await requests.forget(ids[4] ?? '', 100);
      assert.deepEqual(shown(await page(requests, { beside: older(second) })).ids, []);
    });

    test('an account sees its own calls only, and who may see all sees them in one order', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(9, (at) => ({ accountId: `account ${at % 3}` }));
      await requests.add(calls);
      const all = calls.toReversed();
      for (const accountId of ['account 0', 'account 1', 'account 2', 'nobody']) {
        const own = all.filter((call) => call.accountId === accountId);
        assert.deepEqual((await page(requests, { accountId })).calls, own);
      }
      assert.deepEqual((await page(requests)).calls, all);
    });
  });
}

function shown({ calls, more, reached }: LogPage) {
  return { ids: calls.map(({ id }) => id), more, reached };
}
