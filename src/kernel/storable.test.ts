import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from './limits.ts';
import { storableFigure, storableText } from './storable.ts';

test('text becomes what every database takes, and stays as it is where it is that already', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, max) => {
      const stored = storableText(text, max);
      assert.ok(stored.length <= max && stored.isWellFormed() && !stored.includes('\0'));
      if (text.length <= max && text.isWellFormed() && !text.includes('\0')) assert.equal(stored, text);
    }),
  );
  assert.deepEqual(
    ['a\0b', 'c\ud800', 'de🌊'].map((text) => storableText(text, 3)),
    ['a\ufffdb', 'c\ufffd', 'de\ufffd'],
  );
});

test('only whole numbers of a believable size are figures', () => {
  for (const figure of [0, 1, limits.usageFigureMax]) assert.equal(storableFigure(figure), figure);
  for (const figure of [
    -1,
    1.5,
    Number.NaN,
    limits.usageFigureMax + 1,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
  ])
    assert.equal(storableFigure(figure), undefined);
});
