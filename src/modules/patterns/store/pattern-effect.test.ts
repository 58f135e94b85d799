import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulated } from '../../../../measure/eval/patterns/simulated.ts';
import { somePattern } from '../../../../test/conformance/database/samples.ts';
import { holdoutShareOf, patternEffectOf, retirementReasonOf } from './pattern-effect.ts';

const counted = (wins: number, losses: number, [w, l]: readonly [number, number] = [0, 0]) =>
  somePattern({ wins, losses, without: { wins: w, losses: l } });

test('the posterior is that of a Beta distribution with an even prior', () => {
  const { with: on, helps } = patternEffectOf(counted(7, 2));
  assert.ok(Math.abs(on.mean - 8 / 11) < 1e-3, `${on.mean}`);
  // Beta(8, 3) has 90 % between these.
  assert.ok(Math.abs(on.low - 0.4931) < 5e-3 && Math.abs(on.high - 0.9127) < 5e-3, `${on.low} ${on.high}`);
  assert.ok(Math.abs(helps - 8 / 11) < 1e-3, `${helps}`);
  assert.ok(Math.abs(patternEffectOf(counted(5000, 5000, [5000, 5000])).helps - 0.5) < 1e-3);
  assert.ok(patternEffectOf(counted(9000, 1000, [1000, 9000])).helps > 0.999);
});

test('nothing is retired by chance of a few, nor without a hold-out', () => {
  assert.equal(retirementReasonOf(counted(0, 3, [3, 0])), undefined);
  assert.equal(retirementReasonOf(counted(0, 100)), undefined);
  assert.match(retirementReasonOf(counted(1, 9, [7, 1])) ?? '', /chance that it helps/);
  assert.equal(retirementReasonOf(counted(9, 1, [1, 7])), undefined);
});

test('what seems to harm is held out of half, and nothing where nothing is held out', () => {
  assert.equal(holdoutShareOf(counted(1, 8, [3, 1]), 0.1), 0.5);
  assert.equal(holdoutShareOf(counted(8, 1, [1, 3]), 0.1), 0.1);
  assert.equal(holdoutShareOf(counted(1, 8, [3, 1]), 0), 0);
});

test('a pattern that harms is retired soon, and one that helps stays', () => {
  const ends = (effect: { without: number; with: number }) =>
    Array.from({ length: 40 }, (_, seed) => simulated(effect, { conversations: 300, seed }).retiredAt);
  const harmful = ends({ without: 0.7, with: 0.2 });
  assert.ok(
    harmful.every((at) => at !== undefined && at <= 100),
    harmful.join(),
  );
  const helpful = ends({ without: 0.3, with: 0.8 });
  assert.ok(
    helpful.every((at) => at === undefined),
    helpful.join(),
  );
});
