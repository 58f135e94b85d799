import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModuleDay, UsageDay } from '../kernel/ports/records.ts';
import { modulesReport } from './module-report.ts';
import { buildUsageReport } from './usage-report.ts';

test('a report has every day, with its models, and the sums of all', () => {
  const rows = [
    row({ day: '2026-10-31', keyId: 'k1', model: 'm2', requests: 3, failed: 1, costNanoUsd: 1_500_000 }),
    row({ day: '2026-11-02', keyId: 'k1', model: 'm2', requests: 1, costNanoUsd: 500_000_000 }),
    row({ day: '2026-11-02', keyId: '', model: 'm1', requests: 2, inputTokens: 10, outputTokens: 20 }),
    row({
      day: '2026-11-02',
      keyId: '',
      model: 'm1',
      requests: 5,
      cacheReadTokens: 7,
      cacheWriteTokens: 8,
    }),
  ];
  const report = buildUsageReport(
    { from: '2026-10-31', to: '2026-11-02' },
    {
      modules: [saved({ day: '2026-11-02', savedNanoUsd: 7_000_000, spentNanoUsd: 10_000_000 })],
      models: rows,
      keys: rows,
    },
    { limit: 1000, used: 11, period: { startMs: Date.UTC(2026, 10, 1), endMs: Date.UTC(2026, 11, 1) } },
  );
  const m1 = {
    ...zero,
    requests: 7,
    input_tokens: 10,
    output_tokens: 20,
    cache_read_tokens: 7,
    cache_write_tokens: 8,
  };
  const total = { ...m1, requests: 11, failed: 1, cost_usd: '0.5015' };
  const provider = 'demo';
  assert.deepEqual(report, {
    from: '2026-10-31',
    to: '2026-11-02',
    total,
    days: [
      {
        day: '2026-10-31',
        ...zero,
        requests: 3,
        failed: 1,
        cost_usd: '0.0015',
        models: [{ provider, model: 'm2', ...zero, requests: 3, failed: 1, cost_usd: '0.0015' }],
        modules: [],
      },
      { day: '2026-11-01', ...zero, models: [], modules: [] },
      {
        day: '2026-11-02',
        ...m1,
        requests: 8,
        cost_usd: '0.5',
        models: [
          { provider, model: 'm1', ...m1 },
          { provider, model: 'm2', ...zero, requests: 1, cost_usd: '0.5' },
        ],
        modules: [{ module: 'exact-cache', saved_usd: '-0.003', spent_usd: '0.01' }],
      },
    ],
    models: [
      { provider, model: 'm1', ...m1 },
      { provider, model: 'm2', ...zero, requests: 4, failed: 1, cost_usd: '0.5015' },
    ],
    modules: [{ module: 'exact-cache', saved_usd: '-0.003', spent_usd: '0.01' }],
    keys: [
      { key_id: null, ...m1 },
      { key_id: 'k1', ...zero, requests: 4, failed: 1, cost_usd: '0.5015' },
    ],
    quota: {
      limit: 1000,
      used: 11,
      remaining: 989,
      period_start: '2026-11-01T00:00:00.000Z',
      period_end: '2026-12-01T00:00:00.000Z',
    },
  });
});

test('where nothing is limited, a report has no quota', () => {
  assert.deepEqual(
    buildUsageReport({ from: '2026-11-01', to: '2026-11-01' }, { models: [], keys: [], modules: [] }),
    {
      from: '2026-11-01',
      to: '2026-11-01',
      total: zero,
      days: [{ day: '2026-11-01', ...zero, models: [], modules: [] }],
      models: [],
      modules: [],
      keys: [],
    },
  );
});

describe('where conversations were held out', () => {
  const hold = (days: readonly ModuleDay[]) => modulesReport(days)[0]?.holdout;

  test('a report tells what the others would have cost without the module, with an interval', () => {
    const days = [
      saved({ with: sideOf(costsAround(1.5, 24)), spentNanoUsd: 500_000_000 }),
      saved({ day: '2026-11-02', without: sideOf(costsAround(3, 20)) }),
    ];
    // 24 · (3 − 1.5) − 0.5; the standard errors are 0.1043 and 0.1147, the size 10.91, the factor 2.45 · 5.13.
    const { low_usd, high_usd, ...rest } = Object(hold(days));
    assert.deepEqual(rest, { conversations: 24, held_out: 20, saved_usd: '35.5' });
    assert.ok(Math.abs(35.5 - 13.19 - Number(low_usd)) < 0.05, low_usd);
    assert.ok(Math.abs(35.5 + 13.19 - Number(high_usd)) < 0.05, high_usd);
  });

  test('few of them tell nothing yet', () => {
    const days = [saved({ with: sideOf(Array(50).fill(1)), without: sideOf(Array(19).fill(2)) })];
    const nothing = { saved_usd: null, low_usd: null, high_usd: null };
    assert.deepEqual(hold(days), { conversations: 50, held_out: 19, ...nothing });
  });
});

/** Half of them half a dollar below, half of them above. */
function costsAround(usd: number, conversations: number): readonly number[] {
  return Array.from({ length: conversations }, (_, at) => usd + (at % 2 === 0 ? 0.5 : -0.5));
}

function sideOf(costs: readonly number[]) {
  return {
    conversations: costs.length,
    costNanoUsd: costs.reduce((sum, one) => sum + Math.round(one * 1e9), 0),
    squaredUsd: costs.reduce((sum, one) => sum + one ** 2, 0),
  };
}

function saved(changes: Partial<ModuleDay>): ModuleDay {
  return {
    accountId: 'a',
    day: '2026-11-01',
    module: 'exact-cache',
    calls: 0,
    savedNanoUsd: 0,
    spentNanoUsd: 0,
    with: sideOf([]),
    without: sideOf([]),
    ...changes,
  };
}

const zero = {
  requests: 0,
  failed: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: '0',
};

function row(changes: Partial<UsageDay>): UsageDay {
  return {
    accountId: 'a',
    day: '2026-11-01',
    keyId: '',
    provider: 'demo',
    model: 'demo-1',
    requests: 0,
    failed: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costNanoUsd: 0,
    ...changes,
  };
}

test('what modules counted is summed up by name, and is no module of its own', () => {
  const counted = (day: string, module: string, calls: number) => ({ ...saved({ day }), module, calls });
  const rows = [
    counted('2026-11-01', 'guardrails', 9),
    counted('2026-11-01', 'guardrails/EMAIL', 2),
    counted('2026-11-02', 'guardrails/EMAIL', 3),
    counted('2026-11-02', 'guardrails/output.PHONE', 1),
  ];
  assert.deepEqual(modulesReport(rows), [
    { module: 'guardrails', saved_usd: '0', spent_usd: '0', counts: { EMAIL: 5, 'output.PHONE': 1 } },
  ]);
  assert.deepEqual(modulesReport(rows.slice(0, 1)), []);
});
