import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EndUsersQuery, LoggedCall } from '../../../src/kernel/ports/request-log.ts';
import { someCall, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 10, 15);
const at = (ms: number, fields: Partial<LoggedCall>) =>
  someCall({
    id: someRequestId(startMs + ms),
    atMs: startMs + ms,
    accountId: 'mine',
    endUser: 'ann',
    ...fields,
  });

export function requestLogEndUsersConformance(setUpDatabase: SetUpDatabase): void {
  describe('end users of the request log', () => {
    test('every call is added once to the day of its end user, and expires with the log', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = [
        at(0, { costNanoUsd: 5, inputTokens: 3, outputTokens: null }),
        at(1, { costNanoUsd: 1, inputTokens: 4, outputTokens: 2, status: 500 }),
        at(2, { endUser: 'bob', costNanoUsd: 9, weight: 0 }),
        at(3, { endUser: null, costNanoUsd: 100 }),
        at(4, { accountId: 'another', costNanoUsd: 50 }),
        at(dayMs, { costNanoUsd: 20, ending: 'failed' }),
      ];
      await requests.add(calls.slice(0, 2));
      await requests.add(calls);
      const found = async (query: Partial<EndUsersQuery> = {}) => {
        const range = { accountId: 'mine', fromMs: startMs, toMs: startMs + dayMs, limit: 10 };
        const users = await requests.endUsers({ ...range, ...query });
        return users.map(({ endUser, requests: count, failed, costNanoUsd }) => [
          endUser,
          count,
          failed,
          costNanoUsd,
        ]);
      };
      assert.deepEqual(await found(), [
        ['bob', 1, 0, 9],
        ['ann', 2, 1, 6],
      ]);
      assert.deepEqual(await found({ toMs: startMs + 2 * dayMs, limit: 1 }), [['ann', 3, 2, 26]]);
      assert.deepEqual(await found({ accountId: 'another' }), [['ann', 1, 0, 50]]);
      assert.deepEqual(await found({ accountId: undefined }), [
        ['ann', 1, 0, 50],
        ['bob', 1, 0, 9],
        ['ann', 2, 1, 6],
      ]);
      const [ann] = await requests
        .endUsers({ accountId: 'mine', fromMs: startMs, toMs: startMs + 1, limit: 2 })
        .then((all) => all.filter(({ endUser }) => endUser === 'ann'));
      assert.deepEqual([ann?.inputTokens, ann?.outputTokens], [7, 2]);
      await requests.maintain({ nowMs: startMs + dayMs, keptFromMs: startMs + dayMs, spanMs: dayMs });
      assert.deepEqual(await found(), []);
      assert.deepEqual(await found({ toMs: startMs + 2 * dayMs }), [['ann', 1, 1, 20]]);
    });
  });
}
