import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UsageDay } from '../kernel/ports/records.ts';
import { usageReport } from './usage-report.ts';

test('a report has every day, with its models, and the sums of all', () => {
  const report = usageReport(
    { from: '2026-10-31', to: '2026-11-02' },
    [
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
      },
      { day: '2026-11-01', ...zero, models: [] },
      {
        day: '2026-11-02',
        ...m1,
        requests: 8,
        cost_usd: '0.5',
        models: [
          { provider, model: 'm1', ...m1 },
          { provider, model: 'm2', ...zero, requests: 1, cost_usd: '0.5' },
        ],
      },
    ],
    models: [
      { provider, model: 'm1', ...m1 },
      { provider, model: 'm2', ...zero, requests: 4, failed: 1, cost_usd: '0.5015' },
    ],
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
  assert.deepEqual(usageReport({ from: '2026-11-01', to: '2026-11-01' }, []), {
    from: '2026-11-01',
    to: '2026-11-01',
    total: zero,
    days: [{ day: '2026-11-01', ...zero, models: [] }],
    models: [],
    keys: [],
  });
});

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
