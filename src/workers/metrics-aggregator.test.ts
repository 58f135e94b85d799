import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleEndedCall } from '../../test/support/sample-ended-call.ts';
import { Step } from '../kernel/trace.ts';
import { openai } from '../providers/openai.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { MetricsAggregator } from './metrics-aggregator.ts';

const call = sampleEndedCall({
  wire: 'openai-chat',
  provider: 'openai',
  modelUsed: 'gpt 4 "mini"',
  totalMs: 200,
  contentMs: 100,
  steps: [Object.assign(new Step('exact-cache'), { effect: 'answered' })],
});
const spent = [
  {
    target: { provider: openai, model: 'gpt 4 "mini"' },
    usage: { input_tokens: 10, output_tokens: 5 },
    bill: { nanoUsd: 1_500_000, estimated: false },
    ending: { how: 'complete' },
    askedBy: undefined,
    isModuleCall: false,
    startedAtMs: 1000,
    firstContentAtMs: 1100,
    endedAtMs: 1200,
  },
] as const;

function metricsOf(calls: number): Metrics {
  const metrics = new Metrics();
  for (let at = 0; at < calls; at++) metrics.record(call, spent);
  metrics.streamOpened();
  return metrics;
}

function read(text: string): ReadonlyMap<string, string> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const found = new Map(samples.map((line) => [line.replace(/ \S+$/, ''), line.replace(/.* /, '')]));
  assert.equal(found.size, samples.length, 'each series stands there once');
  return found;
}

test('counters, histograms and amounts are sums; figures of a process keep its name', () => {
  const all = new MetricsAggregator();
  all.add({ worker: '1', text: metricsOf(2).render() });
  all.add({ worker: '2', text: metricsOf(3).render() });
  const text = all.render();
  const samples = read(text);
  assert.equal(samples.get('weir_requests_total{wire="openai-chat",provider="openai",status="200"}'), '5');
  const model = 'provider="openai",model="gpt 4 \\"mini\\""';
  assert.equal(samples.get(`weir_tokens_total{${model},kind="input"}`), '50');
  const chat = 'wire="openai-chat",provider="openai"';
  assert.equal(samples.get(`weir_request_seconds_bucket{${chat},le="0.25"}`), '5');
  assert.equal(samples.get(`weir_request_seconds_bucket{${chat},le="0.1"}`), '0');
  assert.equal(samples.get(`weir_request_seconds_count{${chat}}`), '5');
  assert.equal(samples.get('weir_open_streams'), '2');
  assert.ok(samples.has('process_resident_memory_bytes{worker="1"}'));
  assert.ok(samples.has('process_resident_memory_bytes{worker="2"}'));
  assert.ok(!samples.has('process_resident_memory_bytes'));
  assert.equal(text.match(/^# TYPE weir_requests_total counter$/gm)?.length, 1);
  assert.equal(text.match(/^# HELP weir_requests_total /gm)?.length, 1);
});

test('what is up or down is not summed, and keeps the labels it has', () => {
  const all = new MetricsAggregator();
  const text = '# HELP a_up A\n# TYPE a_up gauge\na_up{which="x"} 1\n';
  all.add({ worker: '1', text });
  all.add({ worker: '2', text });
  assert.deepEqual(
    [...read(all.render())],
    [
      ['a_up{which="x",worker="1"}', '1'],
      ['a_up{which="x",worker="2"}', '1'],
    ],
  );
});

test('of a process that has ended the counters stay, and nothing else', () => {
  const all = new MetricsAggregator();
  all.addCounters(metricsOf(2).render());
  all.add({ worker: '2', text: metricsOf(3).render() });
  const samples = read(all.render());
  assert.equal(samples.get('weir_requests_total{wire="openai-chat",provider="openai",status="200"}'), '5');
  assert.equal(samples.get('weir_open_streams'), '1');
});

test('of several exemplars the newest stays', () => {
  const all = new MetricsAggregator();
  const processMetrics = (exemplar: string) =>
    `# HELP a A\n# TYPE a histogram\na_bucket{model="x # {trace_id=",le="1"} 1${exemplar}\n`;
  const exemplar = (digit: string, at: number) => ` # {trace_id="${digit.repeat(32)}"} 0.5 ${at}`;
  for (const text of [exemplar('a', 100), exemplar('b', 300.5), exemplar('c', 200), ''])
    all.add({ worker: '1', text: processMetrics(text) });
  assert.ok(all.render().endsWith(`a_bucket{model="x # {trace_id=",le="1"} 4${exemplar('b', 300.5)}\n`));
});

test('series are bounded where they are kept', () => {
  const kept = new MetricsAggregator(10);
  for (let at = 0; at < 100; at++) kept.addCounters(`# HELP a A\n# TYPE a counter\na{model="${at}"} 1\n`);
  kept.addCounters('# HELP a A\n# TYPE a counter\na{model="0"} 1\n');
  const samples = read(kept.render());
  assert.equal(samples.size, 10);
  assert.equal(samples.get('a{model="0"}'), '2');
});
