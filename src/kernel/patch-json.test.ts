import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseBody } from './parse-body.ts';
import { patchBody, patchJson } from './patch-json.ts';

const patch = (text: string, changes: Record<string, unknown>) =>
  Buffer.from(patchJson(Buffer.from(text), changes)).toString();

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

describe('patchBody', () => {
  const patchKnown = (text: string, changes: Record<string, unknown>) =>
    Buffer.from(patchBody(Buffer.from(text), parseBody(Buffer.from(text)), changes)).toString();

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
