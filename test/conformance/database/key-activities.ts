import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someCall, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const minuteMs = 60_000;
const startMs = 1_763_000_040_000 - (1_763_000_040_000 % minuteMs);

export function keyActivitiesConformance(setUp: SetUpDatabase): void {
  test('what keys do is summed up by parts of a time', async (t) => {
    const { database } = await setUp(t);
    const call = (atMs: number, given: Parameters<typeof someCall>[0]) =>
      someCall({ id: someRequestId(atMs), accountId: 'ann', keyId: 'k1', ...given });
    await database.requests.add([
      call(startMs, {}),
      call(startMs + 5 * minuteMs, { status: 500, errorCode: 'oops', costNanoUsd: null }),
      call(startMs + 11 * minuteMs, {
        steps: [{ module: 'exact-cache', effect: 'answered', ms: 1, facts: {} }],
      }),
      call(startMs + 11 * minuteMs, { keyId: null }),
      call(startMs + 20 * minuteMs, {}),
    ]);
    const query = { fromMs: startMs, toMs: startMs + 20 * minuteMs, partMs: 10 * minuteMs, most: 100 };
    const none = { failed: 0, cached: 0, promptTokens: 17, cacheReadTokens: 3, costNanoUsd: 6 };
    const sums = await database.keyActivities.sums(query);
    assert.deepEqual(
      sums.toSorted((one, other) => one.part - other.part || other.keyId.localeCompare(one.keyId)),
      [
        {
          ...{ accountId: 'ann', keyId: 'k1', part: 0 },
          activity: { ...none, calls: 2, failed: 1, promptTokens: 34, cacheReadTokens: 6 },
        },
        { accountId: 'ann', keyId: 'k1', part: 1, activity: { ...none, calls: 1, cached: 1 } },
        { accountId: 'ann', keyId: '', part: 1, activity: { ...none, calls: 1 } },
      ],
    );
    const parts = await database.keyActivities.parts({ accountId: 'ann', keyId: 'k1' }, query);
    const described = parts.map(({ atMs, model, error, activity }) => [atMs, model, error, activity.calls]);
    assert.deepEqual(
      described.map((part) => JSON.stringify(part)).sort(),
      [
        [startMs, 'gpt-6', null, 1],
        [startMs, 'gpt-6', 'oops', 1],
        [startMs + 10 * minuteMs, 'gpt-6', null, 1],
      ]
        .map((part) => JSON.stringify(part))
        .sort(),
    );
  });

  test('what is known of keys is kept, with its past unless that is replaced', async (t) => {
    const { database } = await setUp(t);
    const { keyActivities } = database;
    const one = { accountId: 'ann', keyId: 'k1', state: '{}', past: '[1]', hasIncident: true, savedMs: 5 };
    const other = { ...one, keyId: '', hasIncident: false, savedMs: 9 };
    await keyActivities.save([one, other, { ...one, accountId: 'bob' }]);
    await keyActivities.save([{ ...one, state: '{"a":1}', past: undefined }]);
    const key = { accountId: 'ann', keyId: 'k1' };
    assert.deepEqual(await keyActivities.states([key, { accountId: 'eve', keyId: 'k1' }]), [
      { ...key, state: '{"a":1}', hasIncident: true, savedMs: 5 },
    ]);
    assert.deepEqual(await keyActivities.pasts([key]), [{ ...key, past: '[1]' }]);
    assert.deepEqual((await keyActivities.withIncident(10)).map(({ accountId }) => accountId).toSorted(), [
      'ann',
      'bob',
    ]);
    await keyActivities.forget('bob');
    await keyActivities.clean(9);
    assert.deepEqual(await keyActivities.withIncident(10), []);
    assert.equal((await keyActivities.states([{ accountId: 'ann', keyId: '' }])).length, 1);
  });

  test('one process at a time may watch keys', async (t) => {
    const { keyActivities } = (await setUp(t)).database;
    assert.equal(await keyActivities.acquireLease('a', 100, 200), true);
    assert.equal(await keyActivities.acquireLease('b', 150, 250), false);
    assert.equal(await keyActivities.acquireLease('b', 200, 300), true);
  });
}
