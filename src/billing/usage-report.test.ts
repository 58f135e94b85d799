import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModuleDay, UsageDay } from '../kernel/ports/records.ts';
import { modulesReport } from './module-report.ts';
import { buildUsageReport } from './usage-report.ts';

test('a report has every day, with its models, and the sums of all', () => {
  const report = buildUsageReport(
    { from: '2026-10-31', to: '2026-11-02' },
    {
      modules: [saved({ day: '2026-11-02', savedNanoUsd: 7_000_000, spentNanoUsd: 10_000_000 })],
      rows: [
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
      ],
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
  assert.deepEqual(buildUsageReport({ from: '2026-11-01', to: '2026-11-01' }, { rows: [], modules: [] }), {
    from: '2026-11-01',
    to: '2026-11-01',
    total: zero,
    days: [{ day: '2026-11-01', ...zero, models: [], modules: [] }],
    models: [],
    modules: [],
    keys: [],
  });
});

describe('where conversations were held out', () => {
  const hold = (days: readonly ModuleDay[]) => modulesReport(days)[0]?.holdout;

  test('a report tells what the others would have cost without the module, with an interval', () => {
    const days = [
      saved({ with: sideOf([1, 1.5, 2, 1.5, 1, 2]), spentNanoUsd: 500_000_000 }),
      saved({ day: '2026-11-02', without: sideOf([3, 3.5, 4, 2.5, 2]) }),
    ];
    // 6 · (3 − 1.5) − 0.5; errors 0.1826 and 0.3536, and t of four degrees of freedom is 2.1318.
    const { low_usd, high_usd, ...rest } = Object(hold(days));
    assert.deepEqual(rest, { conversations: 6, held_out: 5, saved_usd: '8.5' });
    assert.ok(Math.abs(8.5 - 5.09 - Number(low_usd)) < 0.05, low_usd);
    assert.ok(Math.abs(8.5 + 5.09 - Number(high_usd)) < 0.05, high_usd);
  });

  test('few of them tell nothing yet', () => {
    const days = [saved({ with: sideOf(Array(50).fill(1)), without: sideOf([2, 2, 2, 2]) })];
    const nothing = { saved_usd: null, low_usd: null, high_usd: null };
    assert.deepEqual(hold(days), { conversations: 50, held_out: 4, ...nothing });
  });

  test('the interval holds what is true in nine of ten', () => {
    const random = evenly();
    // Costs with a long tail, as those of conversations have it; what is true is 0.2 saved in each.
    const cost = (shift: number) => Math.exp(random() + random() + random() - 1.5) + shift;
    let [held, rounds] = [0, 0];
    for (let round = 0; round < 400; round++) {
      const on = sideOf(Array.from({ length: 60 }, () => cost(0)));
      const off = sideOf(Array.from({ length: 15 }, () => cost(0.2)));
      const { low_usd, high_usd } = Object(hold([saved({ with: on, without: off })]));
      if (Number(low_usd) <= 12 && Number(high_usd) >= 12) held++;
      rounds++;
    }
    assert.ok(held / rounds > 0.86 && held / rounds < 0.96, `${held / rounds}`);
  });
});

/** The same numbers on every run. */
function evenly(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
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
