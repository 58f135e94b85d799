import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from './limits.ts';
import { Step } from './trace.ts';

test('notes replace each other, and added notes add up', () => {
  const step = new Step('module');
  step.note({ target: 'a', tries: 1 });
  step.note({ target: 'b', tries: 1 });
  assert.deepEqual(step.attributes, { target: 'b', tries: 1 });
  step.add({ hidden: 2, failed: 'a', tries: 2 });
  step.add({ hidden: 3, failed: 'b', slow: true });
  step.add({ failed: 'a', slow: true });
  assert.deepEqual(step.attributes, { target: 'b', tries: 3, hidden: 5, failed: 'a+b', slow: true });
});

test('an attribute has a bounded number of values', () => {
  const step = new Step('module');
  for (let at = 0; at < 1000; at++) step.add({ failed: `${at}x` });
  assert.equal(String(step.attributes.failed).split('+').length, limits.noteValuesMax);
});
