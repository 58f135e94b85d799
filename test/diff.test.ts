import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { diffLists, wordsOf } from '../web/parts/diff.ts';

describe('a diff', () => {
  test('has all of both lists, in order', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const runs = diffLists(before, after);
        const without = (kind: string) => runs.flatMap((run) => (run.kind === kind ? [] : run.items));
        assert.deepEqual([without('added'), without('removed')], [before, after]);
      }),
    );
  });

  test('is the shortest', () => {
    assert.deepEqual(diffLists(wordsOf('a big red house'), wordsOf('a red brick house')), [
      { kind: 'same', items: ['a', ' '] },
      { kind: 'removed', items: ['big', ' '] },
      { kind: 'same', items: ['red'] },
      { kind: 'added', items: [' ', 'brick'] },
      { kind: 'same', items: [' ', 'house'] },
    ]);
  });

  test('of texts that differ everywhere replaces one by the other', () => {
    const before = Array.from({ length: 2000 }, (_, index) => `a${index}`);
    const after = before.map((line) => `b${line}`);
    assert.deepEqual(
      diffLists(before, after).map(({ kind, items }) => [kind, items.length]),
      [
        ['removed', 2000],
        ['added', 2000],
      ],
    );
  });
});
