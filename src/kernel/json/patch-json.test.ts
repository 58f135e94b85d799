import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LazyJsonObject } from './lazy-json-object.ts';
import { addFields, patchJson } from './patch-json.ts';

const patch = (text: string, changes: Record<string, unknown>) =>
  Buffer.from(patchJson(LazyJsonObject.of(Buffer.from(text)), changes)).toString();

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
    assert.equal(patchJson(LazyJsonObject.of(bytes), { b: undefined }).buffer, bytes.buffer);
    assert.equal(patch('{ "a":1 }', { b: undefined }), '{ "a":1 }');
  });

  test('keeps the bytes of the items of a list that stay, wherever they go', () => {
    const items = Array.from({ length: 40 }, (_, at) => `{ "n": ${at}.0, "text": "${'x'.repeat(1000)}" }`);
    const body = LazyJsonObject.ofCall(Buffer.from(`{"list": [${items.join(' ,\n')}]}`), 'account:a');
    const { list } = body.parse();
    assert.ok(Array.isArray(list));
    const edit = (list: readonly unknown[]) => Buffer.from(patchJson(body, { list })).toString();
    const [one, two, ...rest] = items;
    assert.equal(edit(list.slice(1)), `{"list": [${[two, ...rest].join(' ,\n')}]}`);
    const moved = edit([list[1], { n: 'new' }, list[0], list[0], undefined]);
    assert.equal(moved, `{"list": [${two},{"n":"new"},${one},${one},null]}`);
    assert.equal(edit([]), '{"list": []}');
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

describe('addFields', () => {
  const added = (text: string, fields: Record<string, unknown>) =>
    Buffer.from(addFields(Buffer.from(text), fields)).toString();

  test('adds fields after the last one and leaves every other byte', () => {
    assert.equal(added(' {"a" : "}" }\n', { b: { c: 1 } }), ' {"a" : "}" ,"b":{"c":1}}\n');
    assert.equal(added('{ }', { b: 1 }), '{ "b":1}');
  });

  test('gives the very same bytes where there is nothing to add', () => {
    const bytes = Buffer.from('{"a":1}');
    assert.equal(addFields(bytes, {}), bytes);
    assert.equal(addFields(bytes, { b: undefined }), bytes);
  });
});
