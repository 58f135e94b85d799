// `npm run bench:embeddings`: what vectors of texts cost, in their own process and in the gateway's, and what searching in them does.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { InferenceRequest } from '../../src/embeddings/inference.ts';
import { limits } from '../../src/embeddings/limits.ts';
import { LocalModels } from '../../src/embeddings/local-models.ts';
import { findModelFiles } from '../../src/embeddings/model-files.ts';
import { TextEmbeddings } from '../../src/embeddings/text-embeddings.ts';
import { IndexedVectorStore } from '../../src/embeddings/vectors/indexed-vector-store.ts';
import { PartIndex } from '../../src/embeddings/vectors/part-index.ts';
import { quantize } from '../../src/embeddings/vectors/quantization.ts';
import { createSlabs, type Slabs } from '../../src/embeddings/vectors/slabs.ts';
import type { Vector } from '../../src/kernel/ports/embeddings.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { numberOption } from './number-option.ts';
import { quantile } from './statistics.ts';
import { temporaryFolder } from './temporary-folder.ts';

const { values: set } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '60' },
    vectors: { type: 'string', default: '10000' },
  },
});
const seconds = numberOption('seconds', set.seconds);
const rate = numberOption('rate', set.rate);
const count = numberOption('vectors', set.vectors);
const size = 384;
const searches = 200;
const patiently = { deadlineMs: 60_000 };

const restBytes = rssBytes(process.pid);
const models = new LocalModels({ findFiles: findModelFiles, onFailure: (how) => console.error(how) });
const embeddings = new TextEmbeddings({ source: 'local', models });

const startedAtMs = performance.now();
await embeddings.one('first', patiently);
console.log(`ready after ${(performance.now() - startedAtMs).toFixed(0)} ms`);

console.log('\nin the process of the models     best ms  p50 ms  p95 ms');
for (const tokens of [16, 32, 62, 126])
  await timed(`${tokens} tokens`, (at) => ({
    model: 'meaning',
    text: words(tokens - 2, at),
    tokensMax: undefined,
  }));
for (const tokens of [16, 62])
  await timed(`judge, ${tokens} + ${tokens} tokens`, (at) => ({
    model: 'judge',
    before: words(tokens, at),
    now: words(tokens, at + 1),
  }));
await timed('tools, 62 tokens', (at) => ({ model: 'tools', text: words(60, at), tokensMax: undefined }));

console.log('\nsearch in memory                 best ms  p50 ms  p95 ms');
for (const many of [1000, count, 10 * count])
  await searched(`WebAssembly, ${many} vectors`, createSlabs(1e9), many);

const folder = temporaryFolder('weir-embeddings-');
const database = await openSqlite({ file: join(folder, 'weir.db') });
const kept = new IndexedVectorStore({
  table: database.vectors,
  clock: systemClock,
  perScope: 100_000,
  slabs: () => createSlabs(limits.vectorBytesMax),
});
const vectors = kept.vectors('bench', 'scope');
for (let at = 0; at < count; at++)
  await vectors.add({ id: `${at}`, vector: randomVector(), data: 'where it is', ttlSeconds: 3600 });
const loadAtMs = performance.now();
await vectors.search(randomVector(), { deadlineMs: 60_000 });
console.log(`\n${count} vectors read from SQLite in ${(performance.now() - loadAtMs).toFixed(0)} ms`);

const callMs: number[] = [];
const asides = new Map<string, number>();
const queued: number[] = [];
// Where others work on the machine, too, the loop is held by them: that much is seen without any calls.
const restDelay = await heldWhile(async () => {
  for (let at = 0; at < rate * seconds; at++) await sleep(1000 / rate);
});
const callDelay = await heldWhile(async () => {
  const calls: Promise<void>[] = [];
  for (let at = 0; at < rate * seconds; at++) {
    calls.push(call(at));
    queued.push(models.figures.waiting);
    await sleep(1000 / rate);
  }
  await Promise.all(calls);
});
const half = queued.length / 2;
console.log(
  `\n${rate} calls a second for ${seconds} s: a vector of 16 tokens, a search, the judge for every second`,
);
console.log(`  a call takes        p50 ${ms(quantile(callMs, 0.5))}  p95 ${ms(quantile(callMs, 0.95))} ms`);
console.log(
  `  waiting             ${mean(queued.slice(0, half)).toFixed(1)} in the first half, ${mean(queued.slice(half)).toFixed(1)} in the second`,
);
console.log(
  `  went on without     ${asides.size === 0 ? 'none' : JSON.stringify(Object.fromEntries(asides))}`,
);
console.log(`  event loop held     ${callDelay}; without calls ${restDelay}`);

const child = models.pid === undefined ? 0 : rssBytes(models.pid);
const more = rssBytes(process.pid) - restBytes;
console.log(
  `\nmemory: process of the models ${mb(child)} MB, ${mb(more)} MB more in this one (with everything that this benchmark holds)`,
);
await models.close();
await database.close();

async function heldWhile(work: () => Promise<void>): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  const held = (nanoseconds: number) => ms(Math.max(nanoseconds / 1e6 - 1, 0));
  return `p50 ${held(delay.percentile(50))} p99 ${held(delay.percentile(99))} max ${held(delay.max)} ms`;
}

async function call(at: number): Promise<void> {
  const begunAtMs = performance.now();
  const text = words(14, 10_000 + at);
  const { vector, why } = await embeddings.one(text);
  if (vector === undefined) {
    asides.set(why, (asides.get(why) ?? 0) + 1);
    return;
  }
  await vectors.search(vector, { most: 5, least: 0.5 });
  if (at % 2 === 0) {
    const { why: notJudged } = await embeddings.sameAnswer([{ before: words(14, at), now: text }]);
    if (notJudged !== undefined)
      asides.set(`judge: ${notJudged}`, (asides.get(`judge: ${notJudged}`) ?? 0) + 1);
  }
  callMs.push(performance.now() - begunAtMs);
}

async function timed(name: string, question: (at: number) => InferenceRequest): Promise<void> {
  const times: number[] = [];
  for (let at = 0; at < 60; at++) {
    const before = models.figures.busyMs;
    await models.infer(question(at), patiently.deadlineMs);
    if (at >= 10) times.push(models.figures.busyMs - before);
  }
  report(name, times);
}

async function searched(name: string, slabs: Slabs, many: number): Promise<void> {
  const index = new PartIndex(slabs, size);
  for (let at = 0; at < many; at++)
    index.put({ id: `${at}`, codes: quantize(randomVector().values), expiresAtMs: Number.POSITIVE_INFINITY });
  const times: number[] = [];
  for (let at = 0; at < searches; at++) {
    const query = quantize(randomVector().values);
    const beganAtMs = performance.now();
    await index.nearest(query, { most: 10, least: 0, nowMs: 0 });
    if (at >= 10) times.push(performance.now() - beganAtMs);
  }
  report(name, times);
}

function report(name: string, times: readonly number[]): void {
  // The best of many tells most where others work on the machine, too.
  const cells = [0, 0.5, 0.95].map((share) => ms(quantile(times, share)).padStart(8));
  console.log(`${name.padEnd(32)}${cells.join('')}`);
}

/** So many words of one token each. */
function words(tokens: number, at: number): string {
  const some = ['water', 'house', 'green', 'letter', 'music', 'river', 'table', 'window', 'paper', 'stone'];
  return Array.from(
    { length: tokens },
    (_, place) => some[Math.floor(at / 10 ** (place % 5) + place) % 10],
  ).join(' ');
}

function randomVector(): Vector {
  const values = Float32Array.from({ length: size }, () => Math.random() - 0.5);
  const length = Math.hypot(...values);
  return { space: 'minilm-l6-v2-int8/384', values: values.map((value) => value / length) };
}

function rssBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / Math.max(numbers.length, 1);
}

function ms(time: number): string {
  return time.toFixed(2);
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
