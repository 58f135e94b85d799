import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditMessages } from '../src/audit/events.ts';
import { auditSubjects, textOf } from '../web/pages/audit/events.ts';
import { withCeiling } from '../web/pages/keys/ceiling.ts';
import { findModels, knownModels, matches } from '../web/pages/models/known-models.ts';
import { barsOf } from '../web/pages/requests/bars.ts';
import { shownSteps } from '../web/pages/requests/module-steps.ts';
import {
  breakSentence,
  type ConversationCall,
  barsOf as contextBarsOf,
  partOf,
  pauseText,
  timelineOf,
} from '../web/pages/sessions/timeline.ts';
import { toolSumsOf } from '../web/pages/sessions/tool-sums.ts';
import { causeOf, filterOfErrors, groupByCause } from '../web/parts/causes.ts';
import { valuesBefore } from '../web/parts/chart-lines.ts';
import { axisTimesOf, spanOf } from '../web/parts/chart-times.ts';
import { datesOf, daysOf } from '../web/parts/day-ranges.ts';
import { mergeUnsent } from '../web/parts/model-sums.ts';
import { fromLocalInput, startOfRange, toLocalInput } from '../web/parts/time-ranges.ts';

describe('why a call failed, in words', () => {
  const cases = [
    [429, 'upstream_error', 'openai', 'rate_limit_exceeded', 'rate-limited by openai'],
    [429, 'upstream_error', 'openai', 'insufficient_quota', 'no credit left at openai'],
    [529, 'upstream_error', 'anthropic', 'overloaded_error', 'anthropic is overloaded'],
    [503, 'upstream_error', 'gemini', 'UNAVAILABLE', 'gemini is overloaded'],
    [400, 'upstream_error', 'anthropic', 'context_length_exceeded', 'prompt too long'],
    [400, 'upstream_error', 'openai', 'invalid_request_error', 'invalid request error (openai)'],
    [429, 'upstream_error', 'groq', null, 'rate-limited by groq'],
    [500, 'upstream_error', 'groq', null, 'groq failed'],
    [402, 'cost_ceiling_exceeded', null, null, 'budget used up'],
    [400, 'bad_pipeline', null, null, 'bad pipeline'],
    [200, 'failed', null, null, 'answer broke off'],
  ] as const;
  for (const [status, code, provider, provider_error, words] of cases)
    test(words, () => assert.equal(causeOf({ status, code, provider, provider_error }), words));
});

test('errors with the same cause are one, and lead to what they share', () => {
  const error = { status: 429, code: 'upstream_error', provider: 'openai', provider_error: null, count: 2 };
  const groups = groupByCause([
    error,
    { ...error, provider_error: 'rate_limit_exceeded', count: 3 },
    { ...error, status: 200, code: 'failed', provider: null, count: 1 },
    { ...error, status: 402, code: 'cost_ceiling_exceeded', provider: null, count: 1 },
  ]);
  assert.deepEqual(
    groups.map(({ cause, tone, count, errors }) => [cause, tone, count, filterOfErrors(errors)]),
    [
      ['rate-limited by openai', 'refused', 5, { status: '429', provider: 'openai' }],
      ['answer broke off', 'failed', 1, { status: 'error' }],
      ['budget used up', 'refused', 1, { status: '402', search: 'cost_ceiling_exceeded' }],
    ],
  );
});

describe('the parts of a call', () => {
  const call = {
    ...{ overhead_ms: 1, first_content_ms: 300, total_ms: 900, provider: 'openai', status: 200 },
    ...{ left_ms: 2, connected_ms: 20, head_ms: 250, modules: [], attempts: [] },
  };
  const partsOf = (more: object) =>
    barsOf({ ...call, ...more }).map(({ name, fromMs, ms }) => [name, fromMs, ms]);

  test('of one request', () => {
    assert.deepEqual(partsOf({}), [
      ['Gateway', 0, 2],
      ['Connect', 2, 18],
      ['Provider', 20, 230],
      ['First token', 250, 50],
      ['Stream', 300, 600],
      ['Total', 0, 900],
    ]);
  });

  test('of two requests: the time of the first is not the gateway’s', () => {
    const attempt = {
      ...{ provider: 'openai', model: 'm', asked_by: null, ending: 'complete', error_code: null },
      ...{ left_ms: 2, connected_ms: 3, head_ms: 4, first_content_ms: 5, cost_usd: null },
      ...{ input_tokens: 1, output_tokens: 1 },
    };
    const attempts = [
      { ...attempt, started_ms: 2, ended_ms: 400 },
      { ...attempt, started_ms: 410, ended_ms: 900 },
    ];
    assert.deepEqual(partsOf({ attempts, left_ms: 411, first_content_ms: 300 }), [
      ['Gateway', 0, 2],
      ['1. openai', 2, 398],
      ['2. openai', 410, 490],
      ['Total', 0, 900],
    ]);
  });

  test('of a call that was rejected before it was sent', () => {
    const unsent = { left_ms: null, connected_ms: null, head_ms: null, first_content_ms: null, status: 400 };
    assert.deepEqual(partsOf({ ...unsent, total_ms: 1.5 }), [
      ['Gateway', 0, 1],
      ['Total', 0, 1.5],
    ]);
  });
});

test('modules tell what they did in figures, and those that changed nothing are one line', () => {
  const step = (name: string, effect: string, facts: Record<string, string | number | true> = {}) => ({
    ...{ name, effect, facts, ms: 0.25, saved_usd: '0' },
  });
  const shown = shownSteps([
    step('exact-cache', 'passed', { miss: true }),
    step('airgap', 'passed'),
    step('cost-guard', 'passed', { held: '0.12', usd: '0.0032' }),
    step('ipc', 'changed-request', { tokens: '7604/55170', saved: '0.16' }),
    step('mcp-optimizer', 'changed-request', { kept: '22/60' }),
    step('rehydrator', 'changed-request', { restored: 1, tokens: 546 }),
    step('patterns', 'changed-request', { injected: 0 }),
    step('guardrails', 'passed'),
  ]);
  assert.deepEqual(
    shown.map(({ sentence, facts }) => [sentence, Object.fromEntries(facts)]),
    [
      ['exact-cache had no answer.', {}],
      ['cost-guard found the call within its limits: $0.0032.', {}],
      ['ipc sent 7,604 of 55.2K tokens.', { saved: '0.16' }],
      ['mcp-optimizer kept 22 of 60 tools.', {}],
      ['rehydrator brought back 1 passage of 546 tokens.', {}],
      ['patterns changed the request.', { injected: 0 }],
      ['airgap and guardrails changed nothing.', {}],
    ],
  );
  assert.equal(shown.at(-1)?.ms, 0.5);
});

describe('times of charts', () => {
  const at = Date.UTC(2026, 10, 16) / 1000;

  test('a day is a day of UTC, whatever the time zone', () => {
    const before = process.env.TZ;
    try {
      for (const zone of ['America/Los_Angeles', 'Asia/Tokyo', 'UTC']) {
        process.env.TZ = zone;
        assert.match(spanOf(at, 86_400), /16.*\(UTC\)|\b16\b/);
        assert.match(axisTimesOf([at, at + 86_400], 86_400).join(), /16.*17/);
      }
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });

  test('a bar of hours says from when to when', () => {
    assert.match(spanOf(at, 3 * 3600), /\d\d:\d\d–\d\d:\d\d$/);
  });
});

describe('ranges of time', () => {
  const now = new Date(2026, 10, 16, 9, 30);

  test('days and months begin at midnight here', () => {
    assert.deepEqual(startOfRange('today', now), new Date(2026, 10, 16));
    assert.deepEqual(startOfRange('month', now), new Date(2026, 10, 1));
    assert.equal(now.getTime() - startOfRange('7d', now).getTime(), 7 * 86_400_000);
  });

  test('a field shows the time that was typed into it', () => {
    const typed = '2026-03-29T12:05';
    assert.equal(toLocalInput(fromLocalInput(typed)), typed);
    assert.equal(fromLocalInput(''), undefined);
    assert.equal(toLocalInput(undefined), '');
  });
});

describe('models', () => {
  const sums = (provider: string | null, model: string, requests: number, cost = '0') => ({
    ...{ provider, model, requests, failed: provider === null ? requests : 0, cached: 0 },
    ...{ input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 },
    ...{ cost_usd: cost, saved_usd: '0', cache_miss_usd: '0', first_content_ms: { p50: 1, p95: 2 } },
  });
  const listed = ['gpt-5', 'gpt-5-mini'].map((id) => ({
    ...{ id, provider: 'openai', context_tokens: 1000, output_tokens_max: 100, features: ['tools'] },
    price_usd_per_million_tokens: { input: 1, output: 2, cache_read: 0, cache_write: 1, cache_write_1h: 1 },
  }));

  test('a model is listed once, with the calls that reached no provider', () => {
    const merged = mergeUnsent([
      ...[sums(null, 'gpt-5', 2), sums('openai', 'gpt-5', 5, '1'), sums(null, 'openai/gpt-5', 1)],
      sums(null, 'unknown', 4),
    ]);
    assert.deepEqual(
      merged.map(({ provider, model, requests, failed }) => [provider, model, requests, failed]),
      [
        ['openai', 'gpt-5', 8, 3],
        [null, 'unknown', 4, 4],
      ],
    );
  });

  test('those of the catalogue and those that were called, the dearest first', () => {
    const known = knownModels({
      listed,
      sums: [
        ...[sums('openai', 'gpt-5-mini', 3, '2'), sums('vllm', 'own', 1, '0.5')],
        ...[sums(null, 'gpt-5', 1), sums(null, 'openai/gpt-5', 1)],
      ],
      withKey: new Set(['openai']),
    });
    assert.deepEqual(
      known.map(({ provider, id, hasKey }) => [provider, id, hasKey]),
      [
        ['openai', 'gpt-5-mini', true],
        ['vllm', 'own', false],
        ['openai', 'gpt-5', true],
      ],
    );
    assert.equal(known[2]?.sums?.requests, 2);
    const found = (filter: object) => known.filter((model) => matches(model, filter)).map(({ id }) => id);
    assert.deepEqual(found({ q: 'OPENAI mini' }), ['gpt-5-mini']);
    assert.deepEqual(found({ ability: 'tools', show: 'used' }), ['gpt-5-mini', 'gpt-5']);
    assert.deepEqual(found({ provider: 'vllm' }), ['own']);
    const compared = findModels(known, ['own', 'gpt-5', 'openai/gpt-5', 'gpt-9']);
    assert.deepEqual(
      [compared.found.map(({ provider, id }) => [provider, id]), compared.missing],
      [
        [
          ['vllm', 'own'],
          ['openai', 'gpt-5'],
        ],
        ['gpt-9'],
      ],
    );
  });
});

test('the period before is shown at the steps of this one, which are shorter or longer', () => {
  const chart = { starts: [100, 110, 120, 130], stepMs: 10, byMs: 50 };
  const before = [50, 70].map((atMs) => ({ atMs, value: atMs }));
  assert.deepEqual(valuesBefore({ ...chart, before, beforeStepMs: 20, isSum: true }), [25, 25, 35, 35]);
  assert.deepEqual(valuesBefore({ ...chart, before, beforeStepMs: 20, isSum: false }), [50, 50, 70, 70]);
  assert.deepEqual(valuesBefore({ ...chart, before, beforeStepMs: 10, isSum: true }), [50, null, 70, null]);
  const finer = [50, 55, 60, 65].map((atMs) => ({ atMs, value: atMs === 60 ? null : atMs }));
  assert.deepEqual(valuesBefore({ ...chart, before: finer, beforeStepMs: 5, isSum: true }), [
    105,
    65,
    null,
    null,
  ]);
  assert.deepEqual(valuesBefore({ ...chart, before: finer, beforeStepMs: 5, isSum: false }), [
    52.5,
    65,
    null,
    null,
  ]);
});

test('periods of usage are days of UTC', () => {
  const now = new Date('2026-03-01T00:30:00Z');
  assert.deepEqual(daysOf('today', now), { from: '2026-03-01', to: '2026-03-01' });
  assert.deepEqual(daysOf('7d', now), { from: '2026-02-23', to: '2026-03-01' });
  assert.deepEqual(daysOf('month', now), { from: '2026-03-01', to: '2026-03-01' });
  assert.deepEqual(daysOf('last_month', now), { from: '2026-02-01', to: '2026-02-28' });
});

test('ceilings are fields, and options of cost-guard in the pipeline', () => {
  assert.equal(withCeiling('', 'day', '5'), 'cost-guard?day=5');
  assert.equal(withCeiling('exact-cache', 'month', '20'), 'exact-cache,cost-guard?month=20');
  const two = 'cost-guard?day=5&clamp=true,exact-cache';
  assert.equal(withCeiling(two, 'day', '7.5'), 'cost-guard?clamp=true&day=7.5,exact-cache');
  assert.equal(withCeiling('cost-guard?day=5,exact-cache', 'day', ''), 'exact-cache');
  assert.equal(withCeiling('cost-guard:team?day=5', 'day', ''), 'cost-guard:team');
});

describe('the timeline of a session', () => {
  const call = (seconds: number, more: Partial<ConversationCall> = {}): ConversationCall =>
    ({
      ...{ id: `req_${seconds}`, created_at: new Date(seconds * 1000).toISOString(), total_ms: 1000 },
      ...{ cost_usd: '0.25', context_tokens: 100, cache_read_tokens: 40, cause: 'prompt' },
      ...{ agent: null, parent_conversation: null, is_compaction: false, cache_break: null },
      ...more,
    }) as ConversationCall;

  test('adds up costs, and has the pauses between calls', () => {
    const items = timelineOf([
      call(0, { total_ms: 90_000 }),
      call(10),
      call(151, { cost_usd: null }),
      call(152),
    ]);
    assert.deepEqual(
      items.map(({ costSoFar, pauseMs }) => [costSoFar, pauseMs]),
      [
        [0.25, undefined],
        [0.5, undefined],
        [0.5, 61_000],
        [0.75, undefined],
      ],
    );
    assert.equal(pauseText(61_000), 'Pause of 1 min 1 s');
    assert.equal(pauseText(2 * 3_600_000 + 300_000), 'Pause of 2 h 5 min');
  });

  test('has the cost of the calls that read the results of each tool, which adds up to that of all calls', () => {
    const [read, bash] = [
      { name: 'Read', count: 2 },
      { name: 'Bash', count: 1 },
    ];
    const item = (more: Partial<ConversationCall>) => ({
      call: call(0, { tool_calls: [], results_of: [], result_tokens: null, ...more }),
    });
    const items = [
      item({ tool_calls: [read, bash] }),
      item({ cost_usd: '0.3', results_of: [read, bash], result_tokens: 300, tool_calls: [bash] }),
      item({ cost_usd: '0.5', results_of: [bash] }),
    ];
    assert.deepEqual(
      toolSumsOf(items).map(({ name, calls, tokens, costUsd }) => [
        ...[name, calls, Math.round(tokens), costUsd.toFixed(2)],
      ]),
      [
        ['Bash', 2, 100, '0.60'],
        ['Read', 2, 200, '0.20'],
        [null, 0, 0, '0.25'],
      ],
    );
    assert.deepEqual(toolSumsOf([item({})]), []);
  });

  test('has a bar for each call, or for the largest of several', () => {
    const cache_break = { reason: 'tools', lost_tokens: 9000, cost_usd: '0.0304' } as const;
    const items = timelineOf([call(0), call(1, { context_tokens: 300 }), call(2, { cache_break })]);
    const heights = (most: number) =>
      contextBarsOf(items, most).map(({ cached, fresh, hasBreak, costSoFar }) => [
        cached,
        fresh,
        hasBreak,
        costSoFar,
      ]);
    assert.deepEqual(heights(10), [
      [40, 60, false, 0.25],
      [40, 260, false, 0.5],
      [40, 60, true, 0.75],
    ]);
    assert.deepEqual(heights(2), [
      [40, 260, false, 0.5],
      [40, 60, true, 0.75],
    ]);
    assert.equal(
      breakSentence(cache_break),
      'Provider cache lost: the client changed its tools. 9,000 tokens read again, $0.030 extra.',
    );
    assert.match(breakSentence({ ...cache_break, cost_usd: null }), /read again\.$/);
  });

  test('names the part of an agent', () => {
    const part = (agent: string | null, parent_conversation: string | null = null) =>
      partOf({ agent, parent_conversation });
    assert.deepEqual(
      [
        part(null),
        part('main'),
        part('compaction'),
        part(null, 's'),
        part('subagent:Explore'),
        part('side_reply'),
      ],
      [undefined, undefined, undefined, 'Subagent', 'Subagent Explore', 'Side reply'],
    );
  });
});

test('a period has each of its days once, also where clocks change', () => {
  assert.deepEqual(datesOf({ from: '2026-10-24', to: '2026-10-26' }), [
    '2026-10-24',
    '2026-10-25',
    '2026-10-26',
  ]);
  assert.deepEqual(datesOf({ from: '2026-02-28', to: '2026-03-01' }), ['2026-02-28', '2026-03-01']);
  assert.deepEqual(datesOf({ from: '2026-11-19', to: '2026-11-19' }), ['2026-11-19']);
});

test('every event of the audit log has a subject and words of its own on the page, and the page has no others', () => {
  const shown = Object.values(auditSubjects).flatMap((events) => Object.entries(events));
  assert.deepEqual(new Set(shown.map(([event]) => event)), new Set(Object.keys(auditMessages)));
  const events = new Map<string, string>();
  for (const [event, words] of shown) {
    assert.match(words, /^[A-Z].*[A-Za-z]$/, event);
    assert.equal(events.get(words) ?? event, event, `${words} stands for two events`);
    events.set(words, event);
    assert.equal(textOf({ event }), words);
    assert.equal(textOf({ event: 'access.refused', attempt: event }), words);
  }
  assert.equal(textOf({ event: 'newer_thing.made' }), 'Newer thing made');
});
