import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from '../errors.ts';
import { parseBody } from './parse-body.ts';

const parse = (text: string) => parseBody(Buffer.from(text));

describe('parseBody', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (body) => {
        const text = JSON.stringify(body);
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  const refused: Record<string, string> = {
    'a duplicate key': '{"a":1,"a":2}',
    'a duplicate key written with an escape': '{"a":1,"\\u0061":2}',
    'a duplicate key deep inside an array': '{"a":[{"b":{"c":1,"c":1}}]}',
    'text that is no JSON': '{"a":}',
    'an array': '[1]',
    'a bare string': '"a"',
    'nothing at all': '',
    'nesting over the limit': `{"a":${'['.repeat(201)}${']'.repeat(201)}}`,
  };
  for (const [name, text] of Object.entries(refused))
    test(`refuses ${name}`, () => {
      assert.throws(
        () => parse(text),
        (error) => GatewayError.is(error) && error.status === 400 && error.code === 'invalid_json',
      );
    });

  test('refuses bytes that are not UTF-8', () => {
    assert.throws(() => parseBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), /UTF-8/);
  });

  test('takes colons, brackets and quotes inside strings for what they are', () => {
    const body = { 'a:b': '{"x":[1,2]}:\\"', '\\': '\\\\"', deep: '['.repeat(500), __proto__x: 1 };
    assert.deepEqual(parse(JSON.stringify(body)), body);
  });

  test('counts an own __proto__ key as any other', () => {
    const body = parse('{"__proto__":{"polluted":1}}');
    assert.ok(Object.hasOwn(body, '__proto__'));
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});
