import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedOf } from './seed-of.ts';

test('seeds of similar texts are evenly spread', () => {
  const tenths = new Array<number>(10).fill(0);
  for (let at = 0; at < 10_000; at++) {
    const tenth = Math.floor(seedOf(`req_${at}`) * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  for (const count of tenths) assert.ok(count > 850 && count < 1150, tenths.join());
  assert.equal(seedOf('req_1'), seedOf('req_1'));
});
