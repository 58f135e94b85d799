import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestColumnNames } from './request-log-row.ts';
import { RequestTally } from './request-tally.ts';

const steps = [{ module: 'exact-cache', effect: 'answered', ms: 0.5, facts: {}, savedNanoUsd: 7 }];
const call: Readonly<Record<string, unknown>> = {
  kind: 'k',
  at_ms: 119_999,
  account_id: 'a',
  asked_by: null,
  model_asked: 'm',
  status: 200,
  ending: 'complete',
  saved_nano_usd: 7,
  content_us: 0,
  overhead_us: 1000,
};

test('steps count the same as a list, and as the text of an earlier version; a call without a kind does not count, nor the time of a cached answer as the time of its model', () => {
  const requestTally = new RequestTally();
  for (const [kind, packed] of [
    ['k', steps],
    ['k', JSON.stringify(steps)],
    ['', steps],
  ] as const) {
    const row: typeof call = { ...call, kind, steps: packed };
    requestTally.add(requestColumnNames.map((name) => row[name] ?? null));
  }
  assert.deepEqual(
    [...requestTally.rows()].map(({ table, values }) => [table.name, ...values]),
    [
      [
        ...['request_kinds', 'k', 'a', null, null, 'm', null, null, 200, 'complete', null, null, null],
        'exact-cache:answered',
      ],
      ['request_sums', 'a', 'k', 60_000, 2, 0, 0, 0, 0, 0, 14],
      ['request_times', 'overhead', 'a', 60_000, '', '', 55, 2],
      ['request_steps', 'a', 60_000, 'exact-cache', 'answered', 2, 1000, 14],
      ['request_step_times', 'a', 60_000, 'exact-cache', 49, 2],
    ],
  );
});
