import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LazyJsonObject } from '../json/lazy-json-object.ts';
import { parseExactKeys } from './exact-key-parser.ts';

test('reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('', ' ', '\r\n\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      // Without what V8 mistakes: no key has an escape.
      fc.pre(!/\\\\[^"]*":/.test(text));
      assert.deepEqual(parseExactKeys(text), JSON.parse(text));
    }),
  );
});

test('an own __proto__ stays a key like any other', () => {
  const read = parseExactKeys('{"__proto__":{"a":1}}');
  assert.deepEqual(Object.keys(Object(read)), ['__proto__']);
});

test('keys of one caller are not taken for those of another', () => {
  const parsed = (text: string) => Object.keys(LazyJsonObject.of(Buffer.from(text)).parse());
  for (const [before, text, expected] of [
    ['{"x":0,"\\\\":1}', '{"x":0,"\\u0061":1}', ['x', 'a']],
    ['{"model":0,"\\\\u006de":1}', '{"model":0,"\\u006dessage":1}', ['model', 'message']],
  ] as const) {
    JSON.parse(before);
    assert.deepEqual(parsed(before).length, 2);
    assert.deepEqual(parsed(text), expected);
  }
});
