import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from './errors.ts';
import {
  canonicalJson,
  exactBody,
  isJsonObject,
  parseBody,
  parseExact,
  patchBody,
  patchJson,
} from './json.ts';

const parse = (text: string) => parseBody(Buffer.from(text));
const patch = (text: string, changes: Record<string, unknown>) =>
  Buffer.from(patchJson(Buffer.from(text), changes)).toString();

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

describe('patchJson', () => {
  test('keeps every byte that it does not change', () => {
    const text =
      ' { "model" : "a/b" ,\n "seed": 12345678901234567890, "temperature": 1.0, "x": {"model": "inner"} } ';
    assert.equal(patch(text, { model: 'b' }), text.replace('"a/b"', '"b"'));
  });

  test('adds, replaces and removes top-level fields', () => {
    assert.equal(patch('{"a":1,"b":[1,{"a":2}]}', { a: undefined, c: 'x' }), '{"b":[1,{"a":2}],"c":"x"}');
    assert.equal(patch('{}', { a: 1 }), '{"a":1}');
    assert.equal(patch('{"a":1}', { a: undefined }), '{}');
  });

  test('gives the same bytes back when there is nothing to change', () => {
    const bytes = Buffer.from('{ "a":1 }');
    assert.equal(patchJson(bytes, { b: undefined }), bytes);
  });

  test('means the same as writing over the parsed object', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd"', 'é\\');
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        fc.dictionary(key, value),
        fc.dictionary(key, fc.option(value, { nil: undefined })),
        (body, changes) => {
          const expected = Object.fromEntries(
            Object.entries({ ...body, ...changes }).filter(([, kept]) => kept !== undefined),
          );
          assert.deepEqual(
            JSON.parse(patch(JSON.stringify(body, null, 1), changes)),
            JSON.parse(JSON.stringify(expected)),
          );
        },
      ),
    );
  });
});

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
  assert.equal(JSON.stringify(exactBody(body, Buffer.from(text))), JSON.stringify(exact));
  const short = Buffer.from('{"id":123}');
  const plain = parseBody(short);
  assert.equal(exactBody(plain, short), plain);
});

describe('patchBody', () => {
  const patchKnown = (text: string, changes: Record<string, unknown>) =>
    Buffer.from(patchBody(Buffer.from(text), parse(text), changes)).toString();

  test('says what patchJson says, whether a field is there or not', () => {
    const names = fc.constantFrom('a', 'b', 'stream', 'x"}');
    const fields = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
    fc.assert(
      fc.property(fields, fields, (body, changes) => {
        const text = JSON.stringify(body);
        // By way of JSON: -0 is 0 there.
        const written = JSON.parse(JSON.stringify(changes));
        assert.deepEqual(JSON.parse(patchKnown(text, changes)), { ...JSON.parse(text), ...written });
      }),
    );
  });

  test('adds a field after the last one and leaves every other byte', () => {
    assert.equal(patchKnown(' {"a" : "}" }\n', { b: { c: 1 } }), ' {"a" : "}" ,"b":{"c":1}}\n');
  });

  test('gives the very same bytes where nothing changes', () => {
    const bytes = Buffer.from('{"a":1}');
    assert.equal(patchBody(bytes, { a: 1 }, {}), bytes);
  });
});
