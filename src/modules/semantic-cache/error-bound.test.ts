import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  correctErrorProbability,
  disagreementWeight,
  errorProbabilityOf,
  isServable,
  noEvidence,
  scoreOf,
} from './error-bound.ts';

const fresh = { scope: noEvidence, entry: noEvidence };

test('a fresh entry is served by the judge’s word alone, and a smaller error asks for more', () => {
  const pair = { cosine: 0.96, doubt: 0 };
  const wrong = (logit: number) =>
    correctErrorProbability(errorProbabilityOf(scoreOf({ ...pair, logit })), fresh);
  assert.ok(isServable(wrong(4), 0.02));
  assert.ok(isServable(wrong(1), 0.02));
  assert.ok(!isServable(wrong(1), 0.005));
  assert.ok(!isServable(wrong(-1), 0.02));
  assert.ok(!isServable(wrong(6), 0));
});

test('what lies farther apart, and what is in doubt, needs more of the judge', () => {
  const score = (cosine: number, doubt = 0) => scoreOf({ logit: 3, cosine, doubt });
  assert.ok(score(0.9) - score(0.85) > score(0.95) - score(0.9));
  assert.ok(score(0.95, 1) < score(0.95));
  assert.equal(score(0.99), score(0.96));
});

test('agreement widens an entry, and what is wrong narrows the whole scope', () => {
  const judged = 0.1;
  assert.ok(!isServable(correctErrorProbability(judged, fresh), 0.02));
  const proven = { expected: 0.2, wrong: 0 };
  assert.ok(isServable(correctErrorProbability(judged, { ...fresh, entry: proven }), 0.02));
  const bad = { expected: 0.1, wrong: 2 };
  assert.ok(!isServable(correctErrorProbability(0.02, { scope: bad, entry: noEvidence }), 0.02));
});

test('where answers to one question differ anyway, a difference says less', () => {
  const quiet = disagreementWeight({ asked: 20, differed: 0 });
  const loud = disagreementWeight({ asked: 20, differed: 10 });
  assert.ok(quiet > 0.9 && loud < 0.6, `${quiet} ${loud}`);
});
