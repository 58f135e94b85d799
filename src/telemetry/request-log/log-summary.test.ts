import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogSums, LogSumsQuery } from '../../kernel/ports/request-log.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { summarizeLog } from './log-summary.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const nowMs = Date.UTC(2026, 10, 15, 12, 17);
const nothing: LogSums = {
  kinds: [],
  steps: [],
  stepTimes: [],
  modelTimes: [],
  modules: [],
  moduleTimes: [],
};
const figures = {
  ...{ inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
  ...{ costNanoUsd: 5, savedNanoUsd: 0, isFailed: false, isCached: false, model: 'm' },
};
const kind = {
  ...{ ...figures, keyId: null, provider: 'p', status: 200, ending: 'complete' },
  ...{ errorCode: null, providerError: null },
};

test('a summary is in whole steps, as fine as a chart shows and as the sums are kept', async () => {
  const asked: LogSumsQuery[] = [];
  const log = {
    async sums(question: LogSumsQuery) {
      asked.push(question);
      return nothing;
    },
  };
  const of = async (fromMs: number, toMs: number) => {
    const { stepMs, spans } = await summarizeLog(log, { accountId: 'a', fromMs, toMs, nowMs });
    return [stepMs / minuteMs, spans.length];
  };
  assert.deepEqual(await of(nowMs - hourMs, nowMs), [1, 60]);
  assert.deepEqual(await of(nowMs - 4 * hourMs, nowMs - 3 * hourMs), [15, 5]);
  assert.deepEqual(await of(nowMs - 24 * hourMs, nowMs), [30, 49]);
  assert.deepEqual(await of(nowMs - 168 * hourMs, nowMs), [180, 57]);
  assert.deepEqual(await of(nowMs - 720 * hourMs, nowMs), [1440, 31]);
  assert.deepEqual(await of(nowMs - 300 * hourMs, nowMs - 299 * hourMs), [1440, 1]);
  assert.deepEqual(await of(nowMs - 50 * hourMs, nowMs - 49 * hourMs), [60, 2]);
  assert.deepEqual(asked.at(-1), {
    accountId: 'a',
    fromMs: Date.UTC(2026, 10, 13, 10),
    toMs: Date.UTC(2026, 10, 13, 12),
    stepMs: hourMs,
  });
});

test('sums of kinds become sums by model, provider, key and error, and of steps and modules', async () => {
  const sums: LogSums = {
    kinds: [
      { ...kind, requests: 2, keyId: 'k' },
      { ...kind, requests: 1, isCached: true, savedNanoUsd: 11 },
      { ...kind, requests: 3, isFailed: true, status: 402, errorCode: 'ceiling_reached' },
      {
        ...kind,
        requests: 2,
        isFailed: true,
        status: 529,
        errorCode: 'upstream_error',
        providerError: 'overloaded_error',
      },
      { ...kind, requests: 1, isFailed: true, ending: 'failed', provider: null },
    ],
    steps: [
      { ...figures, step: 0, requests: 6 },
      { ...figures, step: 1, requests: 1, isFailed: true },
    ],
    stepTimes: [
      { what: 'content', step: 0, bin: 100, requests: 1 },
      { what: 'content', step: 0, bin: 90, requests: 9 },
      { what: 'overhead', step: 1, bin: 50, requests: 1 },
    ],
    modelTimes: [
      { provider: 'p', model: 'm', bin: 100, requests: 1 },
      { provider: 'p', model: 'm', bin: 90, requests: 9 },
    ],
    modules: [
      { module: 'exact-cache', effect: 'answered', requests: 1, ownUs: 2000, savedNanoUsd: 11 },
      { module: 'exact-cache', effect: 'passed', requests: 3, ownUs: 2000, savedNanoUsd: 0 },
    ],
    moduleTimes: [
      { module: 'exact-cache', bin: 50, requests: 3 },
      { module: 'exact-cache', bin: 60, requests: 1 },
    ],
  };
  const question = { accountId: 'a', fromMs: nowMs - 2 * minuteMs, toMs: nowMs, nowMs };
  const { all, spans, models, providers, keys, errors, modules } = await summarizeLog(
    { sums: async () => sums },
    question,
  );
  assert.deepEqual([all.requests, all.failed, all.cached, all.costNanoUsd], [9, 6, 1, 25]);
  assert.deepEqual(
    spans.map(({ group: callGroup }) => [callGroup.requests, callGroup.failed]),
    [
      [6, 0],
      [1, 1],
    ],
  );
  assert.deepEqual([models.get('p\nm')?.requests, models.get('\nm')?.requests], [8, 1]);
  assert.deepEqual([providers.get('p')?.requests, providers.get('')?.requests], [8, 1]);
  assert.deepEqual([keys.get('k')?.requests, keys.get('')?.requests], [2, 7]);
  assert.deepEqual(
    [...errors.values()],
    [
      { status: 402, code: 'ceiling_reached', providerError: null, provider: null, count: 3 },
      { status: 529, code: 'upstream_error', providerError: 'overloaded_error', provider: 'p', count: 2 },
      { status: 200, code: 'failed', providerError: null, provider: null, count: 1 },
    ],
  );
  assert.deepEqual(
    modules.get('exact-cache')?.effects,
    new Map([
      ['answered', 1],
      ['passed', 3],
    ]),
  );
  assert.equal(modules.get('exact-cache')?.savedNanoUsd, 11);
  const own = modules.get('exact-cache')?.times;
  assert.ok((own?.quantile(0.95) ?? 0) > 2 * (own?.quantile(0.5) ?? 0) && own?.quantile(0.5) !== null);
  const median = all.content.quantile(0.5) ?? 0;
  assert.ok(Math.abs(median - Math.exp((90 + 5 / 9) / 8) / 1000) < 1, String(median));
  assert.ok((providers.get('p')?.content.quantile(0.95) ?? 0) > 2 * median);
  assert.equal(keys.get('k')?.content.quantile(0.5), null);
  assert.equal(all.overhead.quantile(0.5), spans[1]?.group.overhead.quantile(0.5));
});

test('the median and percentiles of many times are nearly exact', () => {
  const latencyHistogram = new LatencyHistogram();
  for (let ms = 200; ms < 1200; ms++) latencyHistogram.add(Math.floor(8 * Math.log(ms * 1000)), 1);
  const [median, most] = [latencyHistogram.quantile(0.5) ?? 0, latencyHistogram.quantile(0.95) ?? 0];
  assert.ok(Math.abs(median - 700) < 14 && Math.abs(most - 1150) < 23, `${median} ${most}`);
});
