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

    test('the retention of an account is its own choice and that of the tier that it has now', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const { logRetentions, recordings } = database;
      const accounts = [
        ['a', 'free', 'null'],
        ['b', 'pro', 'null'],
        ['c', 'team', 'null'],
        // Its subscription has ended.
        ['d', 'pro', '5000'],
        ['e', 'pro', '5001'],
      ];
      for (const [id, tier, ends] of accounts)
        await execute(`insert into users (id, email, email_folded, password_hash, tier, tier_ends_ms, created_at_ms)
          values ('${id}', '${id}@example.com', '${id}@example.com', 'hash', '${tier}', ${ends}, 1)`);
      await logRetentions.put({ accountId: 'c', days: 3 });
      await logRetentions.put({ accountId: 'd', days: 9 });
      const free = { logDays: 7, recordingDays: 2 };
      const tiers = new Map([['free', free]]);
      assert.deepEqual(await logRetentions.pageOf(tiers, { nowMs: 5000, after: '', limit: 9 }), [
        { accountId: 'a', ownDays: undefined, ofTier: free },
        { accountId: 'c', ownDays: 3, ofTier: {} },
        { accountId: 'd', ownDays: 9, ofTier: free },
      ]);
      const next = await logRetentions.pageOf(tiers, { nowMs: 5000, after: 'a', limit: 1 });
      assert.deepEqual(
        next.map(({ accountId }) => accountId),
        ['c'],
      );
      assert.deepEqual((await logRetentions.of('e', tiers, 5001))?.ofTier, free);
      assert.deepEqual((await logRetentions.of('e', tiers, 5000))?.ofTier, {});
      assert.equal(await logRetentions.of('nobody', tiers, 5000), undefined);
      const calls = someCalls(4, (at) => ({ accountId: at % 2 === 0 ? 'a' : 'b', totalMs: 0 }));
      const rows = calls.map(({ id, accountId }) => ({
        id,
        accountId,
        sealedBy: 'key',
        sealed: Buffer.of(1),
      }));
      await recordings.add(rows, 1000);
      await logRetentions.forgetRecordings('a', startMs + 2);
      const stored = await Promise.all(
        calls.map(({ id, accountId }) => recordings.find(String(accountId), id)),
      );
      assert.deepEqual(
        stored.map((row) => row !== undefined),
        [false, true, true, true],
      );
    });

    test('a retention of one account deletes its older calls, recordings, conversations and days of end users', async (t) => {
      const { requests, logRetentions, recordings } = (await setUpDatabase(t)).database;
      const calls = someCalls(6, (at) => ({
        accountId: at % 2 === 0 ? 'hers' : 'his',
        totalMs: 0,
        conversation: `conversation ${at}`,
        endUser: 'somebody',
      }));
      const hers = calls[4];
      await requests.add(calls);
      const rows = calls.map(({ id, accountId }) => ({
        id,
        accountId,
        sealedBy: 'key',
        sealed: Buffer.of(1),
      }));
      await recordings.add(rows, 1000);
      await logRetentions.put({ accountId: 'hers', days: 7 });
      await logRetentions.put({ accountId: 'another', days: 1 });
      await logRetentions.put({ accountId: 'hers', days: 3 });
      assert.equal(await logRetentions.find('hers'), 3);
      assert.deepEqual(await logRetentions.page('another', 10), [{ accountId: 'hers', days: 3 }]);
      assert.deepEqual(await logRetentions.page('', 1), [{ accountId: 'another', days: 1 }]);

      assert.equal(await logRetentions.forgetCalls('hers', startMs + 4, 1), 1);
      assert.equal(await logRetentions.forgetCalls('hers', startMs + 4, 5), 1);
      await logRetentions.forgetRest('hers', startMs + 4);
      assert.deepEqual((await readPage(requests, { accountId: 'hers' })).calls, [hers]);
      assert.equal((await readPage(requests, { accountId: 'his' })).calls.length, 3);
      const namesOf = async (accountId: string) =>
        (await requests.conversations({ accountId, limit: 10 })).conversations.map((one) => one.conversation);
      assert.deepEqual(await namesOf('hers'), ['conversation 4']);
      assert.deepEqual(await namesOf('his'), ['conversation 5', 'conversation 3', 'conversation 1']);
      const recorded = async (accountId: string) =>
        (await recordings.page({ accountId, fromId: '', beforeId: undefined, limit: 9 })).length;
      assert.deepEqual([await recorded('hers'), await recorded('his')], [1, 3]);
      const days = { fromMs: startMs - 86_400_000, toMs: startMs + 86_400_000, limit: 5 };
      await logRetentions.forgetRest('hers', startMs + 86_400_000);
      assert.deepEqual(await requests.endUsers({ accountId: 'hers', ...days }), []);
      assert.equal((await requests.endUsers({ accountId: 'his', ...days }))[0]?.requests, 3);

      await logRetentions.delete('hers');
      assert.equal(await logRetentions.find('hers'), undefined);
    });
  });
}
