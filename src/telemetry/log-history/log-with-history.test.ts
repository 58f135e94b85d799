import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { someCall, someRequestId } from '../../../test/conformance/database/samples.ts';
import { cleanUp } from '../../../test/support/clean-up.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import type { LogQuery, LogReader } from '../../kernel/ports/request-log.ts';
import { openEmptyDatabase } from '../../testing/empty-database.ts';
import { summarizeLog } from '../request-log/log-summary.ts';
import { LogWithHistory } from './log-with-history.ts';
import { RetainedHistory } from './retained-history.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 18, 12);

test('pages continue in the history where the log ends, and come back', async (t) => {
  const { reader, ids } = await setUp(t);
  const older = await walk(reader, { accountId: 'mine', filter: {}, limit: 4 }, 'older');
  assert.deepEqual(older, ids.toReversed());
  const newer = await walk(
    reader,
    { accountId: 'mine', filter: {}, limit: 4, beside: { id: someRequestId(0), side: 'newer' } },
    'newer',
  );
  assert.deepEqual(newer, ids);
  assert.equal((await reader.find(ids[0] ?? '', 'mine'))?.id, ids[0]);
  assert.equal(await reader.find(ids[0] ?? '', 'another'), undefined);
});

test('sorted calls are of the log and the history, each once', async (t) => {
  const { reader, ids } = await setUp(t);
  const { calls, more } = await reader.page({ accountId: 'mine', filter: {}, limit: 15, sort: 'duration' });
  assert.deepEqual(
    calls.map(({ id }) => id),
    ids.slice(0, 15),
  );
  assert.equal(more, false);
});

test('a summary adds up the history and the log', async (t) => {
  const { reader, history } = await setUp(t);
  for (const fromMs of [nowMs - 60 * dayMs, nowMs - 45 * dayMs, nowMs - 10 * dayMs])
    for (const toMs of [nowMs, nowMs - 35 * dayMs]) {
      if (fromMs >= toMs) continue;
      const query = { accountId: 'mine', fromMs, toMs, nowMs };
      const [summary, expected] = [await summarizeLog(reader, query), await summarizeLog(history, query)];
      assert.deepEqual(summary, expected);
      assert.ok(summary.all.requests > 0);
      assert.equal(summary.all.content.quantile(0.5), expected.all.content.quantile(0.5));
    }
});

test('calls that their account no longer keeps are hidden, in lists and one by one', async (t) => {
  const { history, ids } = await setUp(t);
  const days = new Map([['mine', 40]]);
  const retained = new RetainedHistory({
    history,
    retentions: { find: async (accountId) => days.get(accountId) },
    clock: { now: () => nowMs },
  });
  const kept = ids.slice(-13);
  const query = { accountId: 'mine', filter: {}, limit: 6 };
  assert.deepEqual(await walk(retained, query, 'older'), kept.toReversed());
  for (const id of ids)
    assert.equal((await retained.find(id, undefined))?.id, kept.includes(id) ? id : undefined);
  days.clear();
  assert.deepEqual(await walk(retained, query, 'older'), ids.toReversed());
});

test('without the history, a page has what the log has', async (t) => {
  const errors: unknown[] = [];
  const { recent } = await setUp(t);
  const away = async () => {
    throw new Error('away');
  };
  const reader = new LogWithHistory({
    ...{ recent, history: { page: away, sums: away, find: away }, retentionMs: 30 * dayMs },
    clock: { now: () => nowMs },
    onError: (error) => errors.push(error),
  });
  const query = { accountId: 'mine', filter: {}, limit: 200 };
  const { calls, more } = await reader.page(query);
  assert.deepEqual([calls.length, more, errors.length], [10, true, 1]);
  await assert.rejects(reader.page({ ...query, accountId: 'another' }), /away/);
});

/** A call a day or so for 60 days in the history, of which the log has the last 30 days. */
async function setUp(t: TestContext) {
  const [history, recent] = [await openLog(t), await openLog(t)];
  const calls = Array.from({ length: 20 }, (_, at) =>
    someCall({
      id: someRequestId(nowMs - dayMs * (60 - 3 * at) + 1000),
      accountId: 'mine',
      contentMs: 10 * (at + 1),
      totalMs: 1000 - at,
      steps: [{ module: 'exact-cache', effect: 'passed', ms: 1, facts: {} }],
    }),
  );
  await history.add(calls);
  await recent.add(calls.slice(10));
  const reader = new LogWithHistory({
    ...{ recent, history, retentionMs: 30 * dayMs, clock: { now: () => nowMs } },
    onError: (error) => assert.fail(String(error)),
  });
  return { reader, history, recent, ids: calls.map(({ id }) => id) };
}

async function openLog(t: TestContext) {
  const database = await openEmptyDatabase(emptyFolder(t));
  cleanUp(t, () => database.close());
  return database.requests;
}

async function walk(log: LogReader, first: LogQuery, side: 'older' | 'newer'): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let query = first; ; ) {
    const { calls, more, reached } = await log.page(query);
    const found = calls.map(({ id }) => id);
    ids.push(...(side === 'newer' ? found.toReversed() : found));
    if (!more || reached === undefined) return ids;
    query = { ...query, beside: { id: reached, side } };
  }
}
