import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queueImmediate } from './queue-immediate.ts';

test('all that wait run in order at the end of the turn, what they add at the end of the next', async () => {
  const ran: string[] = [];
  queueImmediate(() => {
    ran.push('first');
    queueImmediate(() => ran.push('added'));
  });
  queueImmediate(() => ran.push('second'));
  await Promise.resolve();
  assert.deepEqual(ran, []);
  await nextTurn();
  assert.deepEqual(ran, ['first', 'second']);
  await nextTurn();
  assert.deepEqual(ran, ['first', 'second', 'added']);
});
