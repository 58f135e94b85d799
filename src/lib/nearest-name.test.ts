import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

test('a misspelt name is close to the one that it means, and others are not', () => {
  const names = ['exact-cache', 'semantic-cache', 'cost-guard', 'day', 'month'];
  for (const [written, meant] of [
    ['exact-cash', 'exact-cache'],
    ['exactcache', 'exact-cache'],
    ['cost-gaurd', 'cost-guard'],
    ['dya', 'day'],
    ['mont', 'month'],
    ['week', undefined],
    ['x', undefined],
    ['', undefined],
  ] as const)
    assert.equal(nearestName(written, names), meant, written);
});
