import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModuleDay } from '../kernel/ports/records.ts';
import { objectsOf } from '../wire/json-values.ts';
import { savingsOf } from './module-report.ts';
import { buildSavingsReport, savingsReportSchema } from './savings-report.ts';

const nothing = { conversations: 0, costNanoUsd: 0, squaredUsd: 0 };

function day(changes: Partial<ModuleDay>): ModuleDay {
  return {
    accountId: 'a',
    day: '2026-11-02',
    module: 'ipc',
    calls: 0,
    savedNanoUsd: 0,
    spentNanoUsd: 0,
    with: nothing,
    without: nothing,
    ...changes,
  };
}

/** So many conversations whose costs lie around this mean. */
function sideOf(conversations: number, usd: number) {
  const squaredUsd = conversations * (usd ** 2 + 0.01);
  return { conversations, costNanoUsd: conversations * usd * 1e9, squaredUsd };
}

function report(...days: readonly ModuleDay[]) {
  const found = buildSavingsReport(days, (name) => ({
    module: { protective: name === 'cost-guard', ...(name === 'exact-cache' && { cache: true }) },
    stepAside:
      name === 'exact-cache' ? { sinceMs: 0, untilMs: 86_400_000, reason: 'nothing_shown' } : undefined,
  }));
  savingsReportSchema.parse(found);
  return objectsOf(found.modules);
}

test('days of a module are added up since its first', () => {
  const [ipc, ...others] = report(
    day({ day: '2026-11-03', calls: 5, savedNanoUsd: 3e9 }),
    day({ calls: 2, savedNanoUsd: -1e9, spentNanoUsd: 5e8 }),
    day({ module: 'cost-guard', calls: 7 }),
  );
  assert.deepEqual(others, []);
  const { method, ...figures } = ipc ?? {};
  assert.deepEqual(figures, {
    module: 'ipc',
    since: '2026-11-02',
    calls: 7,
    verdict: 'saves',
    basis: 'estimate',
    saved_usd: '1.5',
    spent_usd: '0.5',
  });
  assert.match(String(method), /held-out conversations/i);
});

test('a cache knows what each hit saved, and says since when it steps aside', () => {
  const [cache] = report(day({ module: 'exact-cache', calls: 2000 }));
  assert.partialDeepStrictEqual(cache, {
    verdict: 'nothing_shown',
    basis: 'hits',
    stepped_aside: {
      since: '1970-01-01T00:00:00.000Z',
      until: '1970-01-02T00:00:00.000Z',
      reason: 'nothing_shown',
    },
  });
  assert.match(String(cache?.method), /saving of every hit is known/);
});

const both = (usd: number) => ({ with: sideOf(900, 1), without: sideOf(100, usd) });
const verdicts: readonly [string, Partial<ModuleDay>][] = [
  ['measuring', { calls: 1999 }],
  ['nothing_shown', { calls: 2000 }],
  ['measuring', { calls: 1999, savedNanoUsd: -1 }],
  ['loses', { calls: 2000, savedNanoUsd: -1 }],
  ['saves', { calls: 1, savedNanoUsd: 1 }],
  ['saves', { calls: 1999, savedNanoUsd: -1, ...both(1.2) }],
  ['loses', { calls: 1999, savedNanoUsd: 1, ...both(0.8) }],
  ['saves', { calls: 2000, savedNanoUsd: 1, ...both(1.001) }],
  ['measuring', { calls: 1999, savedNanoUsd: -1, ...both(1.001) }],
  ['nothing_shown', { calls: 2000, savedNanoUsd: -1, ...both(1.001) }],
  ['nothing_shown', { calls: 2000, savedNanoUsd: 500e9, ...both(1.001) }],
  ['nothing_shown', { calls: 2000, savedNanoUsd: -1, with: sideOf(300, 1), without: sideOf(5, 1) }],
];
for (const [verdict, changes] of verdicts)
  test(`${JSON.stringify(changes)} is judged as ${verdict}`, () => {
    assert.equal(report(day(changes))[0]?.verdict, verdict);
  });

test('nine of ten intervals hold at every look', () => {
  const random = randomNumbers();
  // Costs with a long tail, as those of conversations have it. The module changes nothing.
  const cost = () => Math.exp(random() + random() + random() - 1.5);
  const trials = 200;
  let missed = 0;
  for (let trial = 0; trial < trials; trial++) if (everMisses(cost, random)) missed++;
  assert.ok(missed / trials <= 0.1, `${missed} of ${trials} missed`);
});

/** Whether the interval excludes the truth after any of a thousand conversations. */
function everMisses(cost: () => number, random: () => number): boolean {
  const [on, off] = [{ ...nothing }, { ...nothing }];
  for (let conversation = 0; conversation < 1000; conversation++) {
    const side = random() < 0.1 ? off : on;
    const usd = cost();
    side.conversations++;
    side.costNanoUsd += usd * 1e9;
    side.squaredUsd += usd ** 2;
    const saved = savingsOf([day({ with: on, without: off })]).holdout?.saved;
    if (saved !== undefined && (saved.low > 0 || saved.high < 0)) return true;
  }
  return false;
}

/** The same numbers on every run. */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
