import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseBody } from '../kernel/json/parse-body.ts';
import { canonicalJson, exactValue, isJsonObject, parseExact } from './json.ts';

describe('canonicalJson', () => {
  test('does not depend on the order of keys', () => {
    assert.equal(
      canonicalJson({ b: 1, a: { d: [1, { f: 1, e: 2 }], c: undefined } }),
      '{"a":{"d":[1,{"e":2,"f":1}]},"b":1}',
    );
  });

  test('is JSON that parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value))),
      ),
    );
  });
});

test('an array is not an object', () => {
  assert.equal(isJsonObject([]), false);
  assert.equal(isJsonObject({}), true);
});

test('integers too long for a number keep their digits, and everything else is read as ever', () => {
  const text = '{"id":12345678901234567890,"at":-9007199254740993,"share":0.1234567890123456789,"n":7}';
  const exact = parseExact(text);
  assert.equal(
    JSON.stringify(exact),
    '{"id":12345678901234567890,"at":-9007199254740993,"share":0.12345678901234568,"n":7}',
  );
  const body = parseBody(Buffer.from(text));
  assert.equal(JSON.stringify(exactValue(body, Buffer.from(text))), JSON.stringify(exact));
  const short = Buffer.from('{"id":123}');
  const plain = parseBody(short);
  assert.equal(exactValue(plain, short), plain);
});
