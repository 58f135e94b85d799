import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuBelow } from '../../../test/support/cpu-time.ts';
import { userTextOf } from './user-text.ts';

test('what agents add in tags is left out of the question', () => {
  assert.equal(userTextOf('<context>files\nand more</context>What is this?'), 'What is this?');
  assert.equal(userTextOf('Why <a>x</a>is <b-c>y</b-c>it?'), 'Why is it?');
  assert.equal(userTextOf('<a>one<b>two</a>three</b>'), 'three</b>');
  assert.equal(userTextOf('<a><a>x</a>y</a>'), 'y</a>');
  assert.equal(userTextOf('<open>is <b>this</b> so?'), '<open>is  so?');
  assert.equal(userTextOf('<A>Is</A> <1>it</1> <a x>so</a x>?'), '<A>Is</A> <1>it</1> <a x>so</a x>?');
});

test('a text with nothing but tags is the question itself', () => {
  assert.equal(userTextOf('<a>x</a>'), '<a>x</a>');
});

test('tags without an end are read in linear time', async () => {
  await assertCpuBelow(2000, () => {
    for (const unit of ['<a>/', '<a', '<a>', '</a>', '<a></b>', '<a'.padEnd(50, 'b')])
      userTextOf(unit.repeat(500_000 / unit.length));
    userTextOf(Array.from({ length: 50_000 }, (_, at) => `<t${at}>`).join(''));
  });
});
