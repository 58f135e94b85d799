import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuBelow } from '../../../test/support/cpu-time.ts';
import { didTestsPass } from './test-runs.ts';

test('summaries of common runners tell whether tests passed', () => {
  for (const output of [
    'ℹ tests 3\nℹ pass 3\nℹ fail 0\n',
    '# pass 12  ',
    'Tests: 4 passed',
    'ok  example.com/pkg  0.1s',
    '5 examples, 0 failures',
  ])
    assert.equal(didTestsPass(output), true, output);
  for (const output of [
    'ℹ pass 3\nℹ fail 2\n',
    '# pass 1\n\n  # fail 1\n',
    '3 tests failed',
    '--- FAIL: TestX',
    'passed: 3, failed: 1',
  ])
    assert.equal(didTestsPass(output), false, output);
  for (const output of ['', 'one fail 2', 'fail 3 of', '- - -\n-'])
    assert.equal(didTestsPass(output), undefined, output);
});

test('long output is read in linear time', async () => {
  await assertCpuBelow(2000, () => {
    for (const unit of ['-\n', '\n', ' ', '-', '1', '0 ', 'fail ', 'error:\n', 'ok ', 'ok\n', 'pass 1\n1'])
      didTestsPass(unit.repeat(200_000 / unit.length));
  });
});
