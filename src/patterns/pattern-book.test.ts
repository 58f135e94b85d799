import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryPatternTable } from '../storage/memory/memory-pattern-table.ts';
import { PatternBook } from './pattern-book.ts';

function setUp() {
  const clock = { time: 1_763_000_000_000, now: () => ++clock.time };
  const table = new MemoryPatternTable();
  const book = new PatternBook({ table, clock });
  const forged = (conversation: string, requestId: string) =>
    book.of('ada').forge({
      trigger: { text: '', tools: ['read'], models: [] },
      advice: 'Absolute paths.',
      scope: 'user-1',
      fingerprint: 'fix read',
      conversation,
      requestId,
    });
  const went = (conversation: string, good: number) =>
    book.outcome('ada', { conversation, requestId: '', good, bad: 1 - good, note: '' });
  return { book, table, forged, went };
}

test('a forged pattern stays with its end user until it has won in three conversations', async () => {
  const { book, table, forged, went } = setUp();
  const { id = '' } = (await forged('c0', 'r0')) ?? {};
  await went('c0', 1);
  assert.equal((await table.find('ada', id))?.state, 'active');
  for (const [at, conversation] of ['c1', 'c2', 'c3'].entries()) {
    assert.equal((await table.find('ada', id))?.scope, 'user-1', `${at}`);
    await book.of('ada').tried(conversation, [{ patternId: id, isHeldOut: false }]);
    await went(conversation, 1);
    await went(conversation, 1);
  }
  const pattern = await table.find('ada', id);
  assert.deepEqual([pattern?.scope, pattern?.wins], [null, 3]);
  assert.match(pattern?.story.at(-1)?.what ?? '', /all end users/);
});

test('or until a person says so', async () => {
  const { book, forged } = setUp();
  const { id = '' } = (await forged('c0', 'r0')) ?? {};
  const changed = await book.change('ada', id, { state: 'active' });
  assert.deepEqual([changed?.state, changed?.scope], ['active', null]);
});

test('an outcome that came before the lesson counts for it', async () => {
  const { forged, went } = setUp();
  await went('c0', 1);
  assert.equal((await forged('c0', 'r0'))?.state, 'active');
});

test('what is told counts more than what seems, whichever comes first', async () => {
  const { book, table, forged, went } = setUp();
  const { id = '' } = (await forged('c0', 'r0')) ?? {};
  await book.of('ada').tried('c1', [{ patternId: id, isHeldOut: false }]);
  await book.of('ada').seems('c1', { good: 0.2, bad: 0 });
  assert.equal((await table.find('ada', id))?.wins, 0.2);
  await went('c1', 0);
  await book.of('ada').seems('c1', { good: 0.5, bad: 0 });
  const pattern = await table.find('ada', id);
  assert.deepEqual([pattern?.wins, pattern?.losses], [0, 1]);
});

test('a retired pattern that a person brings back is counted anew', async () => {
  const { book, table, forged, went } = setUp();
  const { id = '' } = (await forged('c', 'r')) ?? {};
  for (let at = 0; at < 20; at++) {
    await book.of('ada').tried(`c${at}`, [{ patternId: id, isHeldOut: at % 2 === 0 }]);
    await went(`c${at}`, at % 2 === 0 ? 1 : 0);
  }
  assert.equal((await table.find('ada', id))?.state, 'retired');
  assert.deepEqual(await book.of('ada').open(), []);
  const back = await book.change('ada', id, { state: 'active' });
  assert.deepEqual([back?.state, back?.wins, back?.losses], ['active', 0, 0]);
  assert.deepEqual(
    (await book.of('ada').open()).map((one) => one.id),
    [id],
  );
});
