import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { firstIdAt, isRequestId, timeOfId } from './request-id.ts';
import { createRequestIds } from './request-ids.ts';

test('ids are all different, and in the order of time', () => {
  const clock = new ManualClock();
  const requestId = createRequestIds(clock);
  const ids: string[] = [];
  for (let ms = 0; ms < 300; ms++) {
    const some = [requestId(), requestId(), requestId()];
    for (const id of some) {
      assert.ok(isRequestId(id), id);
      assert.equal(timeOfId(id), clock.now());
      assert.ok(id > firstIdAt(clock.now()) && id < firstIdAt(clock.now() + 1));
    }
    ids.push(...some.sort());
    clock.move(1);
  }
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.toSorted(), ids);
});

test('what is no id is not taken for one', () => {
  for (const text of [
    '',
    'req_',
    `req_${'0'.repeat(31)}`,
    `req_${'G'.repeat(32)}`,
    `x${firstIdAt(1)}${'0'.repeat(20)}`,
  ])
    assert.equal(isRequestId(text), false, text);
});
