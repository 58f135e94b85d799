import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neighborhoodDoubt } from './neighborhood.ts';

const at = (...cosines: readonly number[]) => cosines.map((cosine) => ({ cosine }));

test('a candidate that stands alone, or among few, is in no doubt', () => {
  assert.equal(neighborhoodDoubt(0.85, []), 0);
  assert.equal(neighborhoodDoubt(0.85, at(0.85)), 0);
  assert.equal(neighborhoodDoubt(0.85, at(0.85, 0.75, 0.7, 0.7)), 0);
  assert.equal(neighborhoodDoubt(0.9, at(0.9, 0.55, 0.54, 0.53, 0.52, 0.51, 0.5)), 0);
});

test('the closer the crowd, the more is in doubt, up to a bound', () => {
  const doubts = [0.6, 0.63, 0.66].map((far) =>
    neighborhoodDoubt(0.9, at(0.9, far, far, far, far, far, far)),
  );
  const [little = 0, more = 0, much = 0] = doubts;
  assert.ok(0 < little && little < more && more < much, String(doubts));
  assert.equal(neighborhoodDoubt(0.82, at(0.82, 0.79, 0.79, 0.79, 0.79, 0.79, 0.79)), 2);
});

test('other candidates are no crowd, and of the crowd the nearest count', () => {
  const crowd = [0.66, 0.66, 0.66, 0.66, 0.66, 0.66];
  const alone = neighborhoodDoubt(0.9, at(0.9, ...crowd));
  assert.equal(neighborhoodDoubt(0.9, at(0.95, 0.9, 0.88, 0.81, ...crowd)), alone);
  assert.equal(neighborhoodDoubt(0.9, at(0.9, ...crowd, 0.4, 0.31)), alone);
});
