import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleEndedCall } from '../../test/support/sample-ended-call.ts';
import { Step } from '../kernel/trace.ts';
import { openai } from '../providers/openai.ts';
import { formatMetrics } from './exposition.ts';
import { Metrics } from './metrics.ts';

const call = sampleEndedCall({
  wire: 'openai-chat',
  provider: 'openai',
  modelUsed: 'gpt-4o-mini',
  totalMs: 200,
  contentMs: 100,
  steps: [Object.assign(new Step('exact-cache'), { effect: 'answered' })],
});
const spentOn = (model: string) => [
  {
    target: { provider: openai, model },
    usage: { input_tokens: 10, output_tokens: 5 },
    bill: { nanoUsd: 1_500_000, estimated: false },
    ending: { how: 'complete' },
    askedBy: undefined,
    isModuleCall: false,
    startedAtMs: 1000,
    firstContentAtMs: 1100,
    endedAtMs: 1200,
  } as const,
];
const spent = spentOn('gpt-4o-mini');

/** Reads the text format as a scraper would, failing at the first line that isn't in it. */
function samples(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (HELP|TYPE) [a-z_0-9]+ .+$/.test(line)) continue;
    const [, series, value] =
      /^([a-z_0-9]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? assert.fail(line);
    assert.ok(!found.has(series ?? ''), `twice: ${series}`);
    found.set(series ?? '', Number(value));
  }
  return found;
}

describe('metrics', () => {
  test('add up calls, tokens, dollars and effects', () => {
    const metrics = new Metrics();
    metrics.record(call, spent);
    metrics.record({ ...call, totalMs: 400_000 }, spent);
    const read = samples(metrics.render());
    assert.equal(read.get('weir_requests_total{wire="openai-chat",provider="openai",status="200"}'), 2);
    assert.equal(read.get('weir_tokens_total{provider="openai",model="gpt-4o-mini",kind="input"}'), 20);
    assert.equal(read.get('weir_cost_usd_total{provider="openai",model="gpt-4o-mini"}'), 0.003);
    assert.equal(read.get('weir_module_effects_total{module="exact-cache",effect="answered"}'), 2);
    assert.equal(read.get('weir_attempts_total{provider="openai",model="gpt-4o-mini",ending="complete"}'), 2);
    assert.equal(read.get('weir_request_seconds_bucket{wire="openai-chat",provider="openai",le="0.25"}'), 1);
    assert.equal(read.get('weir_request_seconds_bucket{wire="openai-chat",provider="openai",le="+Inf"}'), 2);
    assert.equal(read.get('weir_request_seconds_count{wire="openai-chat",provider="openai"}'), 2);
  });

  test('count what modules count, under a bounded number of names', () => {
    const metrics = new Metrics();
    for (let name = 0; name < 300; name++) {
      const step = new Step('guardrails');
      step.tally(`rule-${name}`, 2);
      metrics.record({ ...call, steps: [step] }, spent);
    }
    const read = samples(metrics.render());
    assert.equal(read.get('weir_module_counts_total{module="guardrails",name="rule-1"}'), 2);
    assert.equal(read.get('weir_module_counts_total{module="guardrails",name="other"}'), 2 * (300 - 200));
  });

  test('add up calls with listed tags, under a bounded number of values', () => {
    const metrics = new Metrics(['team']);
    metrics.record({ ...call, costNanoUsd: 1_500_000 }, spent);
    for (let team = 0; team < 300; team++)
      metrics.record({ ...call, tags: { env: 'prod', team: `t${team}` } }, spent);
    const text = metrics.render();
    const read = samples(text);
    assert.equal(read.get('weir_tag_requests_total{tag="team",value=""}'), 1);
    assert.equal(read.get('weir_tag_cost_usd_total{tag="team",value=""}'), 0.0015);
    assert.equal(read.get('weir_tag_requests_total{tag="team",value="t1"}'), 1);
    assert.equal(read.get('weir_tag_requests_total{tag="team",value="other"}'), 300 - 99);
    assert.doesNotMatch(text, /prod/);
    const others = new Metrics();
    others.record({ ...call, tags: { team: 'a' } }, spent);
    assert.doesNotMatch(others.render(), /weir_tag_/);
  });

  test('believe no figure that could not be stored', () => {
    const metrics = new Metrics();
    const usage = { input_tokens: 9e15, output_tokens: -5, cache_read_input_tokens: 0.5 };
    const absurd = { target: { provider: openai, model: 'gpt-4o-mini' }, usage };
    metrics.record(call, spent);
    const absurdBill = { nanoUsd: 9e15, estimated: false };
    metrics.record(
      call,
      spent.map((one) => ({ ...one, ...absurd, bill: absurdBill })),
    );
    metrics.record({ ...call, usage }, []);
    const read = samples(metrics.render());
    const tokens = (kind: string) =>
      read.get(`weir_tokens_total{provider="openai",model="gpt-4o-mini",kind="${kind}"}`);
    assert.deepEqual([tokens('input'), tokens('output'), tokens('cache_read')], [10, 5, 0]);
    assert.equal(read.get('weir_cost_usd_total{provider="openai",model="gpt-4o-mini"}'), 0.0015);
  });

  test('measure attempts by provider, apart from answers of caches', () => {
    const metrics = new Metrics();
    metrics.record(call, spent);
    metrics.record(call, []);
    const read = samples(metrics.render());
    assert.equal(read.get('weir_attempt_seconds_count{provider="openai"}'), 1);
    assert.equal(read.get('weir_attempt_seconds_bucket{provider="openai",le="0.25"}'), 1);
    assert.equal(read.get('weir_attempt_first_content_seconds_bucket{provider="openai",le="0.1"}'), 1);
    assert.equal(read.get('weir_request_seconds_count{wire="openai-chat",provider="openai"}'), 2);
  });

  test('have the newest sampled trace of each bucket, in OpenMetrics only', () => {
    const metrics = new Metrics();
    const traces = ['a'.repeat(32), 'b'.repeat(32)];
    for (const trace of traces) metrics.record(call, spent, trace);
    metrics.record(call, spent);
    const bucket = 'weir_request_seconds_bucket{wire="openai-chat",provider="openai",le="0.25"} 3';
    const { body, contentType } = formatMetrics(
      metrics.render(),
      'application/openmetrics-text;version=1.0.0',
    );
    assert.match(contentType, /^application\/openmetrics-text; version=1\.0\.0/);
    const line = body.split('\n').find((one) => one.startsWith(bucket)) ?? '';
    assert.match(
      line.slice(bucket.length),
      new RegExp(`^ # \\{trace_id="${traces[1]}"\\} 0\\.2 \\d+(\\.\\d+)?$`),
    );
    assert.ok(!body.includes(traces[0] ?? ''));
    assert.match(body, /^# TYPE weir_requests counter$/m);
    assert.match(body, /^weir_requests_total\{/m);
    assert.ok(body.endsWith('\n# EOF\n'));
    const text = formatMetrics(metrics.render(), '*/*');
    assert.match(text.contentType, /^text\/plain; version=0\.0\.4/);
    assert.equal(samples(text.body).get(bucket.slice(0, -2)), 3);
  });

  test('have event-loop lag, memory and open streams', () => {
    const metrics = new Metrics();
    metrics.streamOpened();
    metrics.streamOpened();
    metrics.streamClosed();
    const read = samples(metrics.render());
    assert.equal(read.get('weir_open_streams'), 1);
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      assert.ok(Number.isFinite(read.get(name)), name);
  });

  test('do not grow with the names that clients make up', () => {
    const metrics = new Metrics();
    for (let at = 0; at < 10_000; at++) metrics.record(call, spentOn(`made-up-${at}`));
    const read = samples(metrics.render());
    assert.ok(read.size < 4000, String(read.size));
    assert.ok((read.get('weir_tokens_total{provider="openai",model="other",kind="input"}') ?? 0) > 90_000);
    metrics.addView({
      gauges: [],
      tags: [],
      isInCatalog: (provider, model) => provider === 'openai' && model === 'gpt-5',
    });
    metrics.record(call, spentOn('gpt-5'));
    metrics.record(call, spentOn('gpt-5-made-up'));
    const labels = metrics.render();
    assert.match(labels, /^weir_cost_usd_total\{provider="openai",model="gpt-5"\} 0\.0015$/m);
    assert.doesNotMatch(labels, /gpt-5-made-up/);
  });

  test('escape what would break out of a label', () => {
    const metrics = new Metrics();
    metrics.record(call, spentOn('a"b\\c\nd'));
    assert.equal(
      samples(metrics.render()).get('weir_cost_usd_total{provider="openai",model="a\\"b\\\\c\\nd"}'),
      0.0015,
    );
  });
});
