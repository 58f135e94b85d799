import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuBelow } from '../../../../../test/support/cpu-time.ts';
import { parsePrompt } from './prompt.ts';

const quotedIn = (text: string) => parsePrompt(text).quoted;

test('what stands in quotes is found, apostrophes and closing marks aside', () => {
  assert.deepEqual(quotedIn('Translate "Good morning!" and \'it is\' now'), ['good morning', 'it is']);
  assert.deepEqual(quotedIn("Explain 'that's John's car', please"), ["that's john's car"]);
  assert.deepEqual(quotedIn('What does ""a b"" mean?'), ['a b']);
  assert.deepEqual(quotedIn("Is ('x') or x'y' or 'a'b' right?"), ['x', "a'b"]);
  assert.deepEqual(quotedIn('He said "it is \'so\'"'), ["it is 'so'"]);
  assert.deepEqual(quotedIn('Why \'so "open"?'), ['open']);
});

test('quotes that never close are read in linear time', async () => {
  await assertCpuBelow(3000, () => {
    quotedIn(`Explain 'a${"'bbbb".repeat(60)} c?`);
    quotedIn(`thousand and \`to ${"'a".repeat(200)} ${'`b'.repeat(200)}`);
    for (const unit of ["'bbbb", "'a ", " 'a", "'", '"', '" ', "' ", '`', '```', '``` ', '```\n', '\'" '])
      quotedIn(`Explain ${unit.repeat(4000 / unit.length)} c?`);
  });
});
