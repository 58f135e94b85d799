import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoggedCall, LogSums, LogSumsQuery } from '../../../src/kernel/ports/request-log.ts';
import { AccountRetentions } from '../../../src/telemetry/request-log/account-retentions.ts';
import { errorsOverTime } from '../../../src/telemetry/request-log/errors-over-time.ts';
import { LogCleaner } from '../../../src/telemetry/request-log/log-cleaner.ts';
import { type CallGroup, summarizeLog } from '../../../src/telemetry/request-log/log-summary.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { readPage, someStep, startMs } from './request-log-samples.ts';
import { someCall, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function requestLogSumsConformance(setUpDatabase: SetUpDatabase): void {
  describe('sums of the request log', () => {
    test('every call is summed up once, also when it is gone, and minutes become hours', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const minuteMs = 60_000;
      const fromMs = Math.floor(startMs / hourMs) * hourMs;
      const at = (ms: number, fields: Partial<LoggedCall> = {}) =>
        someCall({ id: someRequestId(fromMs + ms), accountId: 'mine', contentMs: 10, ...fields });
      const hit = [someStep('exact-cache', 'answered', 70), someStep('cost-guard', 'passed')];
      const calls = [
        at(0, { keyId: 'key' }),
        at(minuteMs, { modelUsed: 'other', provider: 'groq', contentMs: 400 }),
        at(minuteMs + 1, { steps: hit, savedNanoUsd: 70, costNanoUsd: null, contentMs: 1 }),
        at(hourMs, { status: 500, errorCode: 'code', contentMs: null, provider: null }),
        at(2 * hourMs),
        at(minuteMs, { accountId: 'another' }),
      ];
      await requests.add(calls);
      await requests.add(calls.slice(0, 3));
      const asked = { fromMs, toMs: fromMs + 2 * hourMs, stepMs: hourMs };
      const sums = async (accountId?: string) => {
        const found = await requests.sums({ ...asked, accountId });
        const { kinds, steps, stepTimes, modelTimes, modules, moduleTimes } = found;
        return {
          kinds: kinds
            .map((kind) => [kind.keyId, kind.provider, kind.model, kind.status, kind.isCached, kind.requests])
            .sort(),
          cost: kinds.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0),
          steps: steps
            .map((one) => [one.step, one.model, one.isFailed, one.requests, one.savedNanoUsd])
            .sort(),
          times: stepTimes.map((one) => [one.what, one.step, one.bin, one.requests]).sort(),
          ofModels: modelTimes.map((one) => [one.provider, one.model, one.bin, one.requests]).sort(),
          modules: modules.map((one) => [one.module, one.effect, one.requests, one.ownUs, one.savedNanoUsd]),
          ofModules: moduleTimes.map((one) => [one.module, one.bin, one.requests]).sort(),
        };
      };
      const before = await sums('mine');
      assert.deepEqual(before.kinds, [
        [null, null, 'gpt-6', 500, false, 1],
        [null, 'groq', 'other', 200, false, 1],
        [null, 'openai', 'gpt-6', 200, true, 1],
        ['key', 'openai', 'gpt-6', 200, false, 1],
      ]);
      assert.equal(before.cost, 18);
      assert.deepEqual(before.steps, [
        [0, 'gpt-6', false, 1, 0],
        [0, 'gpt-6', false, 1, 70],
        [0, 'other', false, 1, 0],
        [1, 'gpt-6', true, 1, 0],
      ]);
      assert.deepEqual(before.times, [
        ['content', 0, 103, 1],
        ['content', 0, 73, 1],
        ['overhead', 0, 49, 3],
        ['overhead', 1, 49, 1],
      ]);
      assert.deepEqual(before.ofModels, [
        ['groq', 'other', 103, 1],
        ['openai', 'gpt-6', 73, 1],
      ]);
      assert.deepEqual(before.modules, [
        ['cost-guard', 'passed', 1, 500, 0],
        ['exact-cache', 'answered', 1, 500, 70],
      ]);
      assert.deepEqual(before.ofModules, [
        ['cost-guard', 49, 1],
        ['exact-cache', 49, 1],
      ]);
      assert.equal((await sums()).steps.length, before.steps.length + 0);
      assert.equal(await requests.oldestSums('by-minute'), fromMs);
      const fold = async (ms: number) => requests.foldMinutes({ startMs: fromMs + ms, ms: hourMs });
      const [meanwhile] = await Promise.all([sums('mine'), fold(0)]);
      assert.deepEqual(meanwhile, before);
      for (const ms of [0, hourMs]) await fold(ms);
      assert.deepEqual(
        [await requests.oldestSums('by-minute'), await requests.oldestSums('folded')],
        [fromMs + 2 * hourMs, fromMs],
      );
      await requests.forget(calls[4]?.id ?? '', 100);
      await requests.forgetKinds();
      assert.deepEqual(await sums('mine'), before);
      // Late, in the first minute of its hour, and in another.
      await requests.add([at(0, { accountId: 'late' }), at(minuteMs, { accountId: 'late' })]);
      const late = async () => {
        const { kinds, steps, times, ofModels, modules } = await sums('late');
        const sum = (rows: readonly unknown[][], place: number) =>
          rows.reduce((all, row) => all + Number(row[place]), 0);
        return [sum(kinds, 5), sum(steps, 3), sum(times, 3), sum(ofModels, 3), sum(modules, 2)];
      };
      const counted = [2, 2, 4, 2, 0];
      assert.deepEqual(await late(), counted);
      await fold(0);
      assert.deepEqual(await late(), counted);
      assert.equal(await requests.forgetSums(fromMs), false);
      assert.equal(await requests.forgetSums(fromMs + 1), true);
      assert.deepEqual((await sums('mine')).kinds, [[null, null, 'gpt-6', 500, false, 1]]);
      const day = { startMs: Math.floor(fromMs / dayMs) * dayMs, ms: dayMs };
      await fold(2 * hourMs);
      await requests.foldSums(day);
      const { steps } = await requests.sums({
        accountId: 'mine',
        fromMs: day.startMs,
        toMs: day.startMs + 1,
        stepMs: dayMs,
      });
      assert.deepEqual(
        steps.map((one) => [one.step, one.isFailed, one.requests]),
        [
          [0, false, 1],
          [0, true, 1],
        ],
      );
      while (await requests.forgetSums(fromMs + hourMs * 3));
      await requests.forgetKinds();
      assert.deepEqual(await sums(), {
        ...{ kinds: [], cost: 0, steps: [], times: [], ofModels: [], modules: [], ofModules: [] },
      });
    });

    test('totals of weeks and months are the sums of their calls, from midnights of any time zone', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const { requests, logRetentions: retentions } = database;
      const clock = new ManualClock();
      const cleaner = new LogCleaner({
        log: requests,
        retentions: new AccountRetentions({ table: retentions, tiers: new Map(), clock }),
        clock,
        retentionMs: 90 * dayMs,
        pauseMs: 0,
      });
      const nowMs = clock.now() + 40 * dayMs;
      const calls = Array.from({ length: 160 }, (_, at) => callOfMonth(clock.now(), at));
      // The clock goes on in steps, so that sums are folded as they are while a gateway runs.
      for (let doneMs = clock.now(); clock.now() < nowMs; doneMs = clock.now()) {
        clock.move(8 * dayMs);
        await requests.add(calls.filter(({ atMs }) => atMs >= doneMs && atMs < clock.now()));
        await cleaner.clean();
      }
      const rows = [...(await readPage(requests, { limit: 1000 })).calls];
      assert.equal(rows.length, calls.length);
      const compare = async (accountId: string | undefined, fromMs: number, toMs: number) => {
        const read: LogSums[] = [];
        const log = {
          async sums(query: LogSumsQuery) {
            const sums = await requests.sums(query);
            read.push(sums);
            return sums;
          },
        };
        const summary = await summarizeLog(log, { accountId, fromMs, toMs, nowMs });
        const within = rows.filter(
          (call) =>
            (accountId === undefined || call.accountId === accountId) &&
            call.atMs >= summary.fromMs &&
            call.atMs < summary.toMs,
        );
        const label = `${accountId} from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`;
        assert.deepEqual(
          figuresOf(summary.models),
          sumsBy(within, ({ provider, modelUsed }) => `${provider}\n${modelUsed}`),
          label,
        );
        const spans = new Map(summary.spans.map(({ atMs, group }) => [String(atMs), group]));
        const spanOf = ({ atMs }: LoggedCall) => atMs - ((atMs - summary.fromMs) % summary.stepMs);
        assert.deepEqual(
          figuresOf(spans),
          sumsBy(within, (call) => String(spanOf(call))),
          label,
        );
        for (const provider of [undefined, 'groq']) {
          const query = { accountId, fromMs, toMs, nowMs, filter: { provider } };
          const { causes, ...range } = await errorsOverTime(requests, query);
          const failed = within.filter(
            (call) => call.status !== 200 && call.provider === (provider ?? call.provider),
          );
          const [counts = []] = causes.map((cause) => cause.counts);
          assert.deepEqual(
            counts
              .flatMap((count, step) =>
                count === 0 ? [] : [[String(range.fromMs + step * range.stepMs), count]],
              )
              .sort(),
            sumsBy(failed, (call) => String(spanOf(call))).map(([step, count]) => [step, count]),
            label,
          );
          assert.ok(causes.length <= 1);
        }
        const timed = within.filter(({ contentMs }) => contentMs !== null).length;
        const [{ modelTimes, stepTimes } = assert.fail()] = read;
        const contents = stepTimes.filter(({ what }) => what === 'content');
        assert.deepEqual([countOf(modelTimes), countOf(contents)], [timed, timed], label);
      };
      const today = Math.floor(nowMs / dayMs) * dayMs;
      const compareAll = async () => {
        for (const accountId of ['mine', undefined])
          for (const hours of [-8, 5.75])
            for (const days of [7, 30]) {
              const midnight = today - hours * hourMs;
              await compare(accountId, midnight - days * dayMs, nowMs);
              await compare(accountId, midnight - (days + 7) * dayMs, midnight - 2 * dayMs);
            }
      };
      const haveTotals = async () => {
        const tables = ['request_past_sums', 'request_day_sums'];
        const [past, days] = await Promise.all(
          tables.map((table) => execute(`select sum(requests) as requests from ${table}`)),
        );
        assert.deepEqual(days, past);
      };
      await compareAll();
      // An older build knows no totals of days.
      for (const table of ['sums', 'models'])
        await execute(`delete from request_day_${table} where at_ms % ${2 * dayMs} = 0`);
      await compare('mine', nowMs - 30 * dayMs, nowMs);
      clock.move(hourMs);
      await cleaner.clean();
      await haveTotals();
      // Late, in a day that is long over: the totals have it at once.
      const late = callOfMonth(nowMs - 28 * dayMs, 0);
      await requests.add([late]);
      rows.push(late);
      await compare('mine', nowMs - 30 * dayMs, nowMs);
      await cleaner.clean();
      await haveTotals();
      await compareAll();
    });
  });
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Two accounts, five models, one failure in seven; the last days have more. */
function callOfMonth(fromMs: number, at: number): LoggedCall {
  const isFailed = at % 7 === 0;
  return someCall({
    id: someRequestId(fromMs + Math.floor(40 * dayMs * Math.sqrt(Math.floor(at / 4) / 40))),
    accountId: at % 3 === 0 ? 'another' : 'mine',
    provider: at % 2 === 0 ? 'openai' : 'groq',
    modelUsed: `model-${at % 5}`,
    status: isFailed ? 500 : 200,
    contentMs: isFailed ? null : 100 + at,
    costNanoUsd: at,
    steps: [someStep('cost-guard', 'passed')],
  });
}

type Figures = readonly [name: string, requests: number, cost: number, failed: number];

function sumsBy(calls: readonly LoggedCall[], nameOf: (call: LoggedCall) => string): readonly Figures[] {
  const groups = Map.groupBy(calls, nameOf);
  return [...groups]
    .map(([name, some]): Figures => {
      const cost = some.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? 0), 0);
      return [name, some.length, cost, some.filter(({ status }) => status !== 200).length];
    })
    .sort();
}

function figuresOf(groups: ReadonlyMap<string, CallGroup>): readonly Figures[] {
  return [...groups]
    .filter(([, { requests }]) => requests > 0)
    .map(([name, { requests, costNanoUsd, failed }]): Figures => [name, requests, costNanoUsd, failed])
    .sort();
}

function countOf(bins: readonly { readonly requests: number }[]): number {
  return bins.reduce((sum, { requests }) => sum + requests, 0);
}
