import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuBelow } from '../../../../test/support/cpu-time.ts';
import { shrinkText } from './shrink-text.ts';

const base64 = Buffer.from(Array.from({ length: 30_000 }, (_, at) => (at * 151) % 256)).toString('base64');

test('base64 data is left out of a result, with its padding', () => {
  const shrunk = shrinkText(`before "${base64}==" after\n${'ordinary words '.repeat(100)}\n`);
  assert.match(shrunk ?? '', /^before "\[40002 characters of base64 left out by the gateway\]" after\n/);
});

test('a run of fewer than 400 characters stays, also with padding', () => {
  assert.equal(shrinkText(`${base64.slice(0, 399)}==\n`.repeat(2) + 'word '.repeat(400)), undefined);
});

test('many runs that are a little too short for data are read in linear time', async () => {
  const runs = `${base64.slice(0, 399)}.`.repeat(10_000);
  await assertCpuBelow(1000, () => shrinkText(runs));
});
