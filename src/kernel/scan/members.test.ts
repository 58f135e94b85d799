import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findMember, hasDuplicateKey, memberNames, parseValueAt } from './members.ts';
import { scan } from './scan.ts';

/** Few letters, so that names meet, and some that need an escape or several bytes. */
const name = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '\n', 'é', '😀'), maxLength: 3 });
/** Written plainly, or with every character escaped. */
const written = fc
  .tuple(name, fc.boolean())
  .map(([text, isEscaped]) => ({ text, key: isEscaped ? escaped(text) : JSON.stringify(text) }));

describe('members of an object', () => {
  test('are found under their name, however it is written, and the last one if there are several', () => {
    fc.assert(
      fc.property(fc.array(written, { maxLength: 6 }), name, (keys, other) => {
        const bytes = Buffer.from(`{${keys.map(({ key }, at) => `${key} : ${at}`).join()}}`);
        const scanResult = scanOf(bytes);
        const whole = new Map(keys.map(({ text }, at) => [text, at]));
        assert.deepEqual(
          memberNames(bytes, scanResult),
          keys.map(({ text }) => text),
        );
        assert.equal(hasDuplicateKey(bytes, scanResult), whole.size < keys.length);
        for (const text of [other, ...keys.map((key) => key.text)]) {
          const byteRange = findMember(bytes, scanResult, text);
          assert.equal(byteRange && parseValueAt(bytes, byteRange.start, byteRange.end), whole.get(text));
        }
      }),
    );
  });

  test('have one name twice among many, too', () => {
    const many = Array.from({ length: 500 }, (_, at) => `"k${at}":${at}`);
    for (const [more, expected] of [
      ['"k500":0', false],
      ['"k7":0', true],
      ['"\\u006b7":0', true],
    ] as const) {
      const bytes = Buffer.from(`{${[...many, more].join()}}`);
      assert.equal(hasDuplicateKey(bytes, scanOf(bytes)), expected);
    }
  });

  test('may be named like what every object has', () => {
    const bytes = Buffer.from('{"__proto__":1,"constructor":2}');
    const scanResult = scanOf(bytes);
    assert.equal(hasDuplicateKey(bytes, scanResult), false);
    assert.deepEqual(findMember(bytes, scanResult, '__proto__'), { start: 13, end: 14 });
    assert.equal(findMember(bytes, scanResult, 'toString'), undefined);
  });

  test('are not in what is no object', () => {
    for (const text of ['["a","a","a","a"]', '"a"', '1', 'null']) {
      const bytes = Buffer.from(text);
      const scanResult = scanOf(bytes);
      assert.deepEqual(memberNames(bytes, scanResult), []);
      assert.equal(hasDuplicateKey(bytes, scanResult), false);
      assert.equal(findMember(bytes, scanResult, 'a'), undefined);
    }
  });

  test('are read from bytes that are a part of others', () => {
    const bytes = Buffer.from('xx{"a":{"b":"é"}}').subarray(2);
    const byteRange = findMember(bytes, scanOf(bytes), 'a');
    assert.deepEqual(byteRange && parseValueAt(bytes, byteRange.start, byteRange.end), { b: 'é' });
  });
});

function scanOf(bytes: Uint8Array) {
  const scanned = scan(bytes, { valuesMax: 1e6, depthMax: 100 });
  if (typeof scanned === 'string') assert.fail(scanned);
  return scanned;
}

function escaped(text: string): string {
  const units = text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${units.join('')}"`;
}
