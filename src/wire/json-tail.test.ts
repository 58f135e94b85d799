import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readFieldFromTail } from './json-tail.ts';

const look = (text: string, name: string, depth: number) =>
  readFieldFromTail(Buffer.from(text).toString('latin1'), name, depth);

describe('a glance', () => {
  test('finds a field at the depth where it stands', () => {
    const text =
      '{"choices":[{"message":{"content":"a \\"usage\\": {"},"finish_reason": "stop" }],"usage" : {"a":[1,{"b":2}]}, "x":"}"}';
    assert.deepEqual(look(text, 'usage', 1), { a: [1, { b: 2 }] });
    assert.equal(look(text, 'finish_reason', 3), 'stop');
    assert.equal(look(text, 'finish_reason', 1), undefined);
    assert.equal(look(text, 'content', 1), undefined);
  });

  test('sees numbers, null and nothing at all', () => {
    assert.equal(look('{"a":12}', 'a', 1), 12);
    assert.equal(look('{"a": null ,"b":1}', 'a', 1), null);
    assert.equal(look('{"b":"a"}', 'a', 1), undefined);
    assert.equal(look('', 'a', 1), undefined);
  });

  test('takes no end of another name for the name', () => {
    assert.equal(look('{"\\"usage":1}', 'usage', 1), undefined);
    assert.equal(look('{"usage":1,"\\"usage":2}', 'usage', 1), 1);
    assert.equal(look('"usage":1}', 'usage', 1), undefined, 'what stood before it is gone');
  });

  test('is never wrong: it gives what parsing gives, or nothing', () => {
    const key = fc.constantFrom('usage', 'a', 'us"age', '"usage', '\\', 'é');
    const decoy = fc.constantFrom('"usage"', '{"usage":1}', '\\', '}', 'é', '"usage":{');
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        fc.integer(),
        fc.string(),
        decoy,
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(key, tie('any'), { maxKeys: 4 }),
    }));
    let found = 0;
    fc.assert(
      fc.property(value.object, fc.constantFrom(0, 1), (body, indent) => {
        const seen = look(JSON.stringify(body, null, indent), 'usage', 1);
        if (seen === undefined) return;
        found++;
        assert.deepEqual(seen, JSON.parse(JSON.stringify(Object(body).usage)));
      }),
      { numRuns: 2000 },
    );
    assert.ok(found > 100, String(found));
  });

  test('gives up quietly on what is no JSON', () => {
    fc.assert(
      fc.property(fc.string(), (text) => void look(`{"usage":${text}`, 'usage', 1) === undefined || true),
    );
  });
});
