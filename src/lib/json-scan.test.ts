import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject } from './json.ts';
import { depthAt, memberAt, shapeOf, skipSpace } from './json-scan.ts';

const tricky = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', ']', ':', ',', 'é') }),
);
const { any, object } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.constant(null), tricky),
    fc.array(tie('any'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(tricky, tie('any'), { maxKeys: 4 }),
}));
const indent = fc.constantFrom('', ' ', '\t', '\r\n');

/** A character for each byte. */
const written = (value: unknown, space = '') =>
  Buffer.from(JSON.stringify(value, null, space)).toString('latin1');

describe('a member', () => {
  test('has exact places, with space around its colon or none', () => {
    assert.deepEqual(memberAt('{"a" :\t-1.5e3 ,', 1), {
      keyStart: 1,
      keyEnd: 4,
      valueStart: 7,
      valueEnd: 13,
    });
    assert.deepEqual(memberAt('"":"\\\\"}', 0), { keyStart: 0, keyEnd: 2, valueStart: 3, valueEnd: 7 });
  });

  test('is not where no key begins', () => {
    for (const text of ['', 'a":1', ' "a":1', '"a', '"a\\":1', '"a" 1'])
      assert.equal(memberAt(text, 0), undefined, text);
    assert.equal(memberAt('"a":1', -1), undefined);
  });

  test('whose string or brackets are cut ends beyond the text', () => {
    for (const text of ['"a":"b', '"a":"b\\"', '"a":[1,2', '"a":{"b":"}'])
      assert.equal(memberAt(text, 0)?.valueEnd, text.length + 1, text);
  });
});

describe('the shape of a text', () => {
  function shape(value: unknown): { pairs: number; depth: number } {
    if (typeof value !== 'object' || value === null) return { pairs: 0, depth: 0 };
    const inner = Object.values(value).map(shape);
    return {
      pairs: inner.reduce((sum, { pairs }) => sum + pairs, isJsonObject(value) ? inner.length : 0),
      depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    };
  }

  test('is that of the value that JSON.parse reads', () => {
    fc.assert(
      fc.property(any, indent, (value, space) => {
        const text = JSON.stringify(value, null, space);
        const expected = shape(JSON.parse(text));
        for (const spelt of [text, written(value, space)]) {
          const { values, ...seen } = shapeOf(spelt);
          assert.deepEqual(seen, expected);
          assert.ok(values >= valuesIn(value) - 1 && values <= valuesIn(value) * 2);
        }
      }),
    );
  });

  test('can be found in text that is no JSON', () => {
    assert.deepEqual(shapeOf('[[{"a'), { pairs: 0, depth: 3, values: 3 });
    assert.deepEqual(shapeOf(']]::"\\"'), { pairs: 2, depth: 0, values: 0 });
  });

  test('is looked at no further than to the first value too many', () => {
    const { values } = shapeOf(`[${'1,'.repeat(1000)}1]`, 100);
    assert.equal(values, 101);
  });
});

describe('the depth of a place', () => {
  test('is how many objects and arrays are around it', () => {
    fc.assert(
      fc.property(any, fc.array(fc.boolean(), { maxLength: 6 }), object, (value, around, beside) => {
        let text = written(value);
        let at = text.length;
        for (const list of around) {
          const before = list ? '[' : '{"\\"":';
          text = list ? `${before}${text},${written(beside)}]` : `${before}${text},"x":${written(beside)}}`;
          at += before.length;
        }
        assert.equal(depthAt(text, at), around.length);
        assert.equal(depthAt(`${text}\n}}"`, at, text.length), around.length);
      }),
    );
  });

  test('is unknown if a string doesn’t end in time', () => {
    assert.equal(depthAt('1}"a', 1), undefined);
    assert.equal(depthAt('1,"a\n"}', 1, 4), undefined);
    assert.equal(depthAt('1', 2), undefined);
  });
});

test('space is what JSON counts as such', () => {
  assert.equal(skipSpace(' \t\r\n1', 0), 4);
  assert.equal(skipSpace('\u00a0', 0), 0);
  assert.equal(skipSpace('\v', 0), 0);
  assert.equal(skipSpace('  ', 0), 2);
});

function valuesIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + valuesIn(item), 1);
  return isJsonObject(value) ? valuesIn(Object.values(value)) : 1;
}
