import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limits } from '../../kernel/limits.ts';
import { someDay } from './samples.ts';
import type { SetUp } from './set-up.ts';

export function usageConformance(setUp: SetUp): void {
  describe('usage', () => {
    const { day } = someDay();
    const counted = [{ accountId: 'local', periodStartMs: 1_762_000_000_000, calls: 2 }];

    test('batches add up, also where one names a row twice', async (t) => {
      const { usage } = (await setUp(t)).database;
      const row = someDay({ costNanoUsd: 2_000_000_000_000_000 });
      const days = [row, { ...row, requests: 3, failed: 2 }];
      for (const id of ['first', 'second'])
        await usage.add({ id, atMs: 1, days, counted: [...counted, ...counted] });
      assert.deepEqual(await usage.days({ accountId: 'local', from: day, to: day }), [
        {
          ...row,
          requests: 8,
          failed: 4,
          inputTokens: 40,
          outputTokens: 80,
          cacheReadTokens: 12,
          cacheWriteTokens: 16,
          costNanoUsd: 8_000_000_000_000_000,
        },
      ]);
      assert.equal(await usage.counted('local', 1_762_000_000_000), 8);
      assert.equal(await usage.counted('local', 1), 0);
      assert.equal(await usage.counted('somebody else', 1_762_000_000_000), 0);
    });

    test('a batch counts once, however often it is added', async (t) => {
      const { open, database } = await setUp(t);
      const other = await open();
      const batch = { id: 'one', atMs: 1, days: [someDay()], counted };
      await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 ? database : other).usage.add(batch)));
      await other.usage.add(batch);
      assert.deepEqual(await database.usage.days({ accountId: 'local', from: day, to: day }), [someDay()]);
      assert.equal(await database.usage.counted('local', 1_762_000_000_000), 2);
    });

    test('batches that are added at once lose nothing, whatever the order of their rows', async (t) => {
      const { open, database } = await setUp(t);
      const other = await open();
      const days = Array.from({ length: 1200 }, (_, at) => someDay({ model: `model ${at % 600}` }));
      const periods = Array.from({ length: 20 }, (_, at) => ({
        accountId: `account ${at}`,
        periodStartMs: 1,
        calls: 1,
      }));
      const adds = Array.from({ length: 12 }, (_, at) => {
        const turned = at % 3 === 0;
        return (at % 2 === 0 ? database : other).usage.add({
          id: `batch ${at}`,
          atMs: 1,
          days: turned ? days.toReversed() : days,
          counted: turned ? periods.toReversed() : periods,
        });
      });
      await Promise.all(adds);
      const sums = await database.usage.days({ accountId: undefined, from: day, to: day });
      assert.deepEqual([sums.length, new Set(sums.map(({ requests }) => requests))], [600, new Set([24])]);
      assert.equal(await database.usage.counted('account 7', 1), 12);
    });

    test('a batch that fails adds nothing of itself, and can be added when it is right', async (t) => {
      const { usage } = (await setUp(t)).database;
      const broken = { ...someDay({ model: 'b' }), requests: 1.5 };
      const batch = { id: 'one', atMs: 1, counted };
      await assert.rejects(usage.add({ ...batch, days: [someDay({ model: 'a' }), broken] }));
      assert.deepEqual(await usage.days({ accountId: 'local', from: day, to: day }), []);
      await usage.add({ ...batch, days: [someDay()] });
      assert.equal(await usage.counted('local', 1_762_000_000_000), 2);
    });

    test('days are told from the first to the last, of one account or of all, in order', async (t) => {
      const { usage } = (await setUp(t)).database;
      const named = (day: string, keyId: string, provider: string, model: string) =>
        someDay({ day, keyId, provider, model, accountId: keyId === 'k3' ? 'other' : 'local' });
      const inOrder = [
        named('2026-11-14', 'k2', 'openai', 'a'),
        named('2026-11-15', '', 'openai', 'B'),
        named('2026-11-15', '', 'openai', 'a'),
        named('2026-11-15', 'k1', 'groq', 'z'),
        named('2026-11-15', 'k1', 'openai', 'a'),
        named('2026-11-15', 'k3', 'openai', 'a'),
        named('2026-11-16', '', 'groq', 'a'),
      ];
      const outside = [named('2026-11-13', '', 'groq', 'a'), named('2026-11-17', '', 'groq', 'a')];
      await usage.add({ id: 'one', atMs: 1, days: [...outside, ...inOrder.toReversed()], counted: [] });
      const range = { from: '2026-11-14', to: '2026-11-16' };
      assert.deepEqual(await usage.days({ accountId: undefined, ...range }), inOrder);
      const own = inOrder.filter(({ accountId }) => accountId === 'local');
      assert.deepEqual(await usage.days({ accountId: 'local', ...range }), own);
      assert.deepEqual(await usage.days({ accountId: 'nobody', ...range }), []);
    });

    test('batches of long ago are forgotten, and those of late are not', async (t) => {
      const { database, execute } = await setUp(t);
      const start = 1_763_000_000_000;
      const times = [
        start,
        start + limits.usageBatchKeptMs,
        start + limits.usageBatchKeptMs + limits.usageBatchCleanupMs,
      ];
      for (const [at, atMs] of times.entries())
        await database.usage.add({ id: `batch ${at}`, atMs, days: [], counted: [] });
      const kept = await execute('select id from usage_batches order by id');
      assert.deepEqual(JSON.parse(JSON.stringify(kept)), [{ id: 'batch 1' }, { id: 'batch 2' }]);
    });
  });
}
