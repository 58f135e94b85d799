import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineCollection } from './define-collection.ts';

test('a collection that would lose or confuse entries is refused', () => {
  const declare = (over: object) => () =>
    defineCollection({ name: 'notes', fields: { person: 'text1' }, entriesMax: 10, ...over });
  assert.equal(declare({})().name, 'notes');
  for (const [over, problem] of [
    [{ name: 'My notes' }, /kebab-case/],
    [{ fields: { a: 'text1', b: 'text1' } }, /same column/],
    [{ fields: { key: 'text1' } }, /named key/],
    [{ unique: ['other'] }, /no field "other"/],
    [{ entriesMax: undefined }, /set entriesMax or lifeSeconds/],
    [{ entriesMax: undefined, lifeSeconds: 5, unique: ['person'] }, /set entriesMax/],
    [{ entriesMax: 0 }, /above 0/],
    [{ entriesMax: 1e9 }, /at most 100000/],
    [{ valueBytesMax: 1e9 }, /at most 8388608/],
  ] as const)
    assert.throws(declare(over), problem);
});
