import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedCall } from '../../../test/support/ended-call.ts';
import { limits } from '../../kernel/limits.ts';
import type { LoggedCall, LogPage, LogQuestion } from '../../kernel/ports/request-log.ts';
import { summaryOf } from './log-summary.ts';
import { loggedCall } from './logged-call.ts';

const hourMs = 3_600_000;
const toMs = Date.UTC(2026, 10, 15, 12);
const question = { accountId: 'a', fromMs: toMs - 24 * hourMs, toMs };

function someCall(changes: Partial<LoggedCall>): LoggedCall {
  return { ...loggedCall(endedCall()), ...changes };
}

/** Pages over calls that are there already, the newest first. */
function logOf(calls: readonly LoggedCall[], asked: LogQuestion[] = []) {
  return {
    async page(one: LogQuestion): Promise<LogPage> {
      asked.push(one);
      const start = one.beside === undefined ? 0 : calls.findIndex(({ id }) => id === one.beside?.id) + 1;
      const found = calls.slice(start, start + one.limit);
      return { calls: found, more: start + one.limit < calls.length, reached: found.at(-1)?.id };
    },
  };
}

test('calls are summed up in steps, by model, by error and by module', async () => {
  const calls = [
    someCall({ atMs: toMs - 1, costNanoUsd: 5, contentMs: 300, modelUsed: 'm', provider: 'p' }),
    someCall({ atMs: toMs - 2, costNanoUsd: 7, contentMs: 100, modelUsed: 'm', provider: 'p' }),
    someCall({
      atMs: toMs - 2 * hourMs,
      savedNanoUsd: 11,
      steps: [{ module: 'exact-cache', effect: 'answered', ms: 2, facts: {} }],
    }),
    someCall({
      atMs: toMs - 3 * hourMs,
      status: 402,
      errorCode: 'ceiling_reached',
      steps: [{ module: 'cost-guard', effect: 'rejected', ms: 1, facts: {} }],
    }),
    someCall({ atMs: toMs - 4 * hourMs, ending: 'failed' }),
  ];
  const summary = await summaryOf(logOf(calls), question);
  assert.equal(summary.sinceMs, undefined);
  assert.equal(summary.stepMs, hourMs / 2);
  assert.equal(summary.spans.length, 48);
  assert.deepEqual(
    [summary.all.requests, summary.all.failed, summary.all.cached, summary.all.costNanoUsd],
    [5, 2, 1, 12],
  );
  assert.deepEqual(summary.spans.at(-1)?.group.firstContentMs, [300, 100]);
  assert.equal(summary.models.get('p\nm')?.costNanoUsd, 12);
  assert.equal(summary.keys.get('')?.requests, 5);
  assert.deepEqual(
    [...summary.errors.values()],
    [
      { status: 402, code: 'ceiling_reached', count: 1 },
      { status: 200, code: 'failed', count: 1 },
    ],
  );
  assert.equal(summary.modules.get('exact-cache')?.savedNanoUsd, 11);
  assert.deepEqual(summary.modules.get('cost-guard')?.effects, new Map([['rejected', 1]]));
});

test('of very many calls the newest are summed up, page by page, and it says from when on', async () => {
  const calls = Array.from({ length: limits.requestLogSummaryRows + 1 }, (_, at) =>
    someCall({ id: `req_${at}`, atMs: toMs - 1 - at }),
  );
  const asked: LogQuestion[] = [];
  const summary = await summaryOf(logOf(calls, asked), question);
  assert.equal(summary.calls, limits.requestLogSummaryRows);
  assert.equal(summary.sinceMs, toMs - limits.requestLogSummaryRows);
  assert.ok(
    asked.every(({ limit, accountId }) => limit === limits.requestLogSummaryPage && accountId === 'a'),
  );
});
