import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, shown, splitPersonal } from './change.ts';

test('a change has the fields that differ, and only those', () => {
  assert.deepEqual(changeOf({ a: 1, b: [1], c: 'x' }, { a: 1, b: [2], d: true }), {
    changed: ['b', 'c', 'd'],
    before: { b: [1], c: 'x', d: null },
    after: { b: [2], c: null, d: true },
  });
});

test('secrets are masked by their names and by their form, at every depth, and long values are digests', () => {
  const fields = {
    apiKey: 'x',
    secret: null,
    nested: { headers: { 'x-team': 'red' }, list: ['Bearer abcdefghijk', 'plain'] },
    address: 'https://user:pass@example.com/',
    long: 'y'.repeat(501),
    none: undefined,
  };
  const { long, ...rest } = shown(fields);
  assert.deepEqual(rest, {
    apiKey: '[secret]',
    secret: null,
    nested: { headers: '[secret]', list: ['[secret]', 'plain'] },
    address: '[secret]',
  });
  assert.match(JSON.stringify(long), /^\{"sha256":"[0-9a-f]{64}","characters":501\}$/);
});

test('names, addresses and the like are separated', () => {
  assert.deepEqual(splitPersonal({ owner: 'Ada', addresses: ['192.0.2.1'], name: '', models: ['m'] }), {
    plain: { name: '', models: ['m'] },
    personal: { owner: 'Ada', addresses: '["192.0.2.1"]' },
  });
});
