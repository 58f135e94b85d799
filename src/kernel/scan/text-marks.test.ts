import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markTexts, scan, windowBytes } from './scan.ts';
import type { ScanResult } from './scan-result.ts';

const sealed = markTexts('weir.sealed.').bit;
const short = markTexts('ab').bit;
const unsigned = markTexts('"', 'signature').bit;

const samples: readonly (readonly [text: string, marks: number])[] = [
  ['"weir.sealed.x"', sealed],
  ['{"a":[{"b" : "weir.sealed."}]}', sealed],
  ['["abc","weir.sealed.x"]', sealed | short],
  ['["ab"]', short],
  ['{"signature":""}', unsigned],
  ['[{"signature" :\n ""}]', unsigned],
  ['{"signature":"a","b":"","c":["",""]}', 0],
  ['{"a signature":""}', 0],
  ['["signature",""]', 0],
  ['{"weir.sealed.x":"a","ab":1}', 0],
  ['["a","b"," weir.sealed.","weir","",""]', 0],
];

test('a scan notes the marks that texts begin with', () => {
  for (const [text, marks] of samples) assert.equal(marksIn(Buffer.from(text)), marks, text);
});

test('marks are noted wherever a window ends', () => {
  const bytes = Buffer.alloc(2 * windowBytes, ' ');
  for (const [text, marks] of samples)
    for (let before = 0; before <= text.length; before++) {
      const start = windowBytes - before;
      bytes.write(text, start);
      const noted = marksIn(bytes);
      // A key in the previous window counts as the key of the mark.
      assert.equal(noted & ~unsigned, marks & ~unsigned, text);
      assert.equal(noted & marks, marks, text);
      bytes.fill(' ', start, start + text.length);
    }
});

test('marks that the scanner has no room for are errors', () => {
  assert.throws(() => markTexts(''), RangeError);
  assert.throws(() => markTexts('a', 'k'.repeat(40)), RangeError);
});

/** The marks of this file: others are of the formats, where they are loaded in this process. */
function marksIn(bytes: Buffer): number {
  const result: ScanResult | string = scan(bytes, { valuesMax: 1000, depthMax: 10 });
  return typeof result === 'string' ? assert.fail(result) : result.textMarks & (sealed | short | unsigned);
}
