import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstIdAt } from '../../../src/kernel/request-id.ts';
import { readPage, someCalls, startMs } from './request-log-samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function requestLogCleaningConformance(setUpDatabase: SetUpDatabase): void {
  describe('what cleans the request log', () => {
    test('the oldest are forgotten first, a bounded number at a time', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = someCalls(10);
      await requests.add(calls);
      assert.equal(await requests.forget(firstIdAt(startMs), 100), 0);
      assert.equal(await requests.forget(firstIdAt(startMs + 4), 3), 3);
      assert.equal(await requests.forget(firstIdAt(startMs + 4), 3), 1);
      assert.equal(await requests.forget(calls[4]?.id ?? '', 3), 1);
      assert.deepEqual((await readPage(requests)).calls, calls.slice(5).toReversed());
      assert.equal(await requests.find(calls[0]?.id ?? '', undefined), undefined);
    });

    test('one at a time may clean, until it is over', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const other = await open();
      const logs = [database.requests, other.requests, database.requests, other.requests];
      const won = await Promise.all(
        logs.map((log, at) => log.acquireCleanupLease(`holder ${at}`, 1000, 2000)),
      );
      assert.equal(won.filter(Boolean).length, 1);
      const winner = `holder ${won.indexOf(true)}`;
      assert.equal(await other.requests.acquireCleanupLease('another', 1999, 3000), false);
      assert.equal(await other.requests.acquireCleanupLease(winner, 1999, 3000), true);
      assert.equal(await database.requests.acquireCleanupLease('another', 2999, 4000), false);
      assert.equal(await database.requests.acquireCleanupLease('another', 3000, 4000), true);
      assert.equal(await database.requests.acquireCleanupLease(winner, 3001, 4001), false);
    });
  });
}
