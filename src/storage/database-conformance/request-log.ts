import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limits } from '../../kernel/limits.ts';
import type {
  LogFilter,
  LoggedCall,
  LoggedStep,
  LogPage,
  LogQuestion,
  RequestLog,
} from '../../kernel/ports/request-log.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import { chunks } from '../sql/chunks.ts';
import { someCall, someRequestId } from './samples.ts';
import type { SetUp } from './set-up.ts';

const startMs = 1_763_000_000_000;

export function requestLogConformance(setUp: SetUp): void {
  describe('the request log', () => {
    test('a call comes back as it was, with all that is known of it or with nothing', async (t) => {
      const { requests } = (await setUp(t)).database;
      const full = someCall({
        accountId: 'account',
        keyId: 'key',
        askedBy: 'module',
        modelAsked: `'; drop table requests; -- "quoted" \\ 🌊`,
        modelUsed: 'gpt-6-2026',
        provider: 'provider',
        wire: 'wire',
        providerWire: 'provider-wire',
        streamed: true,
        status: 429,
        ending: 'aborted',
        errorCode: 'code',
        inputTokens: 1,
        outputTokens: 2,
        cacheReadTokens: 3,
        cacheWriteTokens: 4,
        reasoningTokens: 5,
        costNanoUsd: 2 ** 52,
        costEstimated: true,
        savedNanoUsd: 7,
        contentMs: 8.001,
        totalMs: 600_000.123,
        overheadMs: 0,
        pipeline: 'exact-cache?ttl=1h',
        steps: [
          { module: 'exact-cache', effect: 'answered', ms: 0.25, facts: { hit: true, age: 1.5, of: 'me' } },
          { module: 'other', effect: 'broken', ms: 0, facts: {}, savedNanoUsd: -3 },
        ],
        changes: [
          { what: 'left-out', name: 'top_k' },
          { what: 'header', name: 'x-weir-conversation' },
        ],
      });
      const bare = someCall({
        keyId: null,
        askedBy: null,
        modelUsed: null,
        provider: null,
        providerWire: null,
        errorCode: null,
        inputTokens: null,
        outputTokens: null,
        cacheReadTokens: null,
        cacheWriteTokens: null,
        reasoningTokens: null,
        costNanoUsd: null,
        contentMs: null,
        leftMs: null,
        connectedMs: null,
        headMs: null,
      });
      await requests.add([full, bare]);
      assert.deepEqual(await requests.find(full.id, undefined), full);
      assert.deepEqual(await requests.find(bare.id, undefined), bare);
    });

    test('a call is found by its own account only, or by who may see all', async (t) => {
      const { requests } = (await setUp(t)).database;
      const call = someCall({ accountId: 'a' });
      await requests.add([call]);
      assert.deepEqual(await requests.find(call.id, 'a'), call);
      assert.deepEqual(await requests.find(call.id, undefined), call);
      assert.equal(await requests.find(call.id, 'b'), undefined);
      assert.equal(await requests.find(someRequestId(startMs), undefined), undefined);
    });

    test('calls that are added again, at once or later, are there once and as they were', async (t) => {
      const { open, database } = await setUp(t);
      const other = await open();
      const calls = callsOf(20);
      await database.requests.add(calls.slice(0, 10));
      const changed = calls.map((call) => ({ ...call, status: 500 }));
      await Promise.all(
        Array.from({ length: 6 }, (_, at) => (at % 2 ? database : other).requests.add(changed)),
      );
      const { calls: found } = await page(database.requests, { limit: 100 });
      assert.deepEqual(
        found.map(({ id, status }) => [id, status]),
        calls.map(({ id }, at) => [id, at < 10 ? 200 : 500]).toReversed(),
      );
    });

    test('a batch with a call that can not be stored adds nothing', async (t) => {
      const { requests } = (await setUp(t)).database;
      await assert.rejects(requests.add([someCall(), someCall({ status: Number.NaN })]));
      assert.deepEqual((await page(requests)).calls, []);
      await requests.add([someCall()]);
      assert.equal((await page(requests)).calls.length, 1);
    });

    test('pages go on where the last one ended, in both directions', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(7);
      await requests.add(calls.toReversed());
      const ids = calls.map(({ id }) => id).toReversed();
      const first = await page(requests, { limit: 3 });
      assert.deepEqual(shown(first), { ids: ids.slice(0, 3), more: true, reached: ids[2] });
      const second = await page(requests, { limit: 3, beside: older(first) });
      assert.deepEqual(shown(second), { ids: ids.slice(3, 6), more: true, reached: ids[5] });
      const third = await page(requests, { limit: 3, beside: older(second) });
      assert.deepEqual(shown(third), { ids: ids.slice(6), more: false, reached: ids[6] });
      const beyond = await page(requests, { limit: 3, beside: older(third) });
      assert.deepEqual(shown(beyond), { ids: [], more: false, reached: undefined });

      const back = await page(requests, { limit: 4, beside: { id: ids[6] ?? '', side: 'newer' } });
      assert.deepEqual(shown(back), { ids: ids.slice(2, 6), more: true, reached: ids[2] });
      const newest = await page(requests, { limit: 4, beside: { id: ids[2] ?? '', side: 'newer' } });
      assert.deepEqual(shown(newest), { ids: ids.slice(0, 2), more: false, reached: ids[0] });
      const exact = await page(requests, { limit: 7 });
      assert.deepEqual([exact.calls.length, exact.more], [7, false]);
    });

    test('a page goes on from a call that is gone, and new calls don’t move it', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(6);
      await requests.add(calls.slice(0, 5));
      const ids = calls.map(({ id }) => id).toReversed();
      const first = await page(requests, { limit: 2 });
      await requests.add(calls.slice(5));
      const second = await page(requests, { limit: 2, beside: older(first) });
      assert.deepEqual(shown(second).ids, ids.slice(3, 5));
      await requests.forget(ids[4] ?? '', 100);
      assert.deepEqual(shown(await page(requests, { beside: older(second) })).ids, []);
    });

    test('an account sees its own calls only, and who may see all sees them in one order', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(9, (at) => ({ accountId: `account ${at % 3}` }));
      await requests.add(calls);
      const all = calls.toReversed();
      for (const accountId of ['account 0', 'account 1', 'account 2', 'nobody']) {
        const own = all.filter((call) => call.accountId === accountId);
        assert.deepEqual((await page(requests, { accountId })).calls, own);
      }
      assert.deepEqual((await page(requests)).calls, all);
    });

    test('every filter lets through what it names, alone and with others', async (t) => {
      const { requests } = (await setUp(t)).database;
      const plain = callsOf(3);
      const failed = { status: 200, ending: 'failed' } as const;
      const odd = [
        { modelAsked: 'latest', modelUsed: 'claude-5' },
        { provider: 'groq' },
        { keyId: 'key' },
        { status: 404 },
        { status: 499, ending: 'aborted' },
        { status: 500, keyId: 'key' },
        failed,
        { provider: null, modelUsed: null, status: 400 },
        { steps: [step('exact-cache', 'answered'), step('cost-guard', 'passed')] },
        { steps: [step('exact-cache', 'passed'), step('cost-guard', 'rejected')] },
      ] satisfies readonly Partial<LoggedCall>[];
      const others = odd.map((fields, at) => someCall({ id: someRequestId(startMs + 10 + at), ...fields }));
      await requests.add([...plain, ...others]);
      const [named, groq, key, e404, e499, e500, broken, e400, hit, refused] = others;
      const expected: readonly (readonly [LogFilter, readonly (LoggedCall | undefined)[]])[] = [
        [{ model: 'latest' }, [named]],
        [{ model: 'claude-5' }, [named]],
        [{ model: 'nothing' }, []],
        [{ provider: 'groq' }, [groq]],
        [{ keyId: 'key' }, [e500, key]],
        [{ status: { least: 404, greatest: 404 } }, [e404]],
        [{ status: { least: 400, greatest: 499 } }, [e400, e499, e404]],
        [{ status: { least: 500, greatest: 599 } }, [e500]],
        [{ status: 'error' }, [e400, broken, e500, e499, e404]],
        [{ ending: 'failed' }, [broken]],
        [{ ending: 'aborted' }, [e499]],
        [{ keyId: 'key', status: 'error' }, [e500]],
        [{ keyId: 'key', provider: 'groq' }, []],
        [{ module: 'exact-cache' }, [hit]],
        [{ module: 'exact-cache', effect: 'passed' }, [refused]],
        [{ module: 'exact', effect: 'passed' }, []],
        [{ module: 'cost_guard' }, []],
        [{ effect: 'rejected' }, [refused]],
        [{ effect: 'answered', status: 'error' }, []],
        [{ search: 'LAUDE' }, [named]],
        [{ search: '%' }, []],
        [{ search: 'req_', keyId: 'key' }, [e500, key]],
        [{ search: e404?.id ?? '' }, [e404]],
        [{ search: (e404?.id ?? '').slice(0, -1), provider: 'openai' }, [e404]],
        [{ search: 'req_nothing' }, []],
      ];
      for (const accountId of ['local', undefined])
        for (const [filter, calls] of expected)
          assert.deepEqual(
            (await page(requests, { accountId, filter })).calls,
            calls,
            JSON.stringify(filter),
          );
      const filter: LogFilter = { status: 'error' };
      const first = await page(requests, { filter, limit: 2 });
      assert.deepEqual([first.calls, first.more], [[e400, broken], true]);
      const rest = await page(requests, { filter, limit: 3, beside: older(first) });
      assert.deepEqual([rest.calls, rest.more], [[e500, e499, e404], false]);
      const newer = { id: e404?.id ?? '', side: 'newer' } as const;
      const back = await page(requests, { filter, limit: 2, beside: newer });
      assert.deepEqual([back.calls, back.more, back.reached], [[e500, e499], true, e500?.id]);
    });

    test('times are from the first millisecond to before the last', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(5);
      await requests.add(calls);
      const times = async (filter: LogFilter, beside?: LogQuestion['beside']) =>
        (await page(requests, { filter, beside })).calls.map(({ atMs }) => atMs - startMs);
      assert.deepEqual(await times({ fromMs: startMs + 1, toMs: startMs + 4 }), [3, 2, 1]);
      assert.deepEqual(await times({ fromMs: startMs + 3 }), [4, 3]);
      assert.deepEqual(await times({ toMs: startMs + 2 }), [1, 0]);
      assert.deepEqual(await times({ fromMs: startMs + 2, toMs: startMs + 2 }), []);
      assert.deepEqual(await times({ fromMs: -1, toMs: startMs + 1, model: 'gpt-6' }), [0]);
      const third = calls[3]?.id ?? '';
      assert.deepEqual(await times({ fromMs: startMs + 1 }, { id: third, side: 'older' }), [2, 1]);
      assert.deepEqual(await times({ toMs: startMs + 4 }, { id: calls[1]?.id ?? '', side: 'newer' }), [3, 2]);
    });

    test('a rare call is found behind many others, from either side', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(300, (at) => (at === 0 || at === 299 ? { modelUsed: 'rare' } : {}));
      await requests.add(calls);
      const [oldest, newest] = [calls.at(0), calls.at(-1)];
      const filter = { model: 'rare' };
      for (const accountId of ['local', undefined]) {
        const both = await page(requests, { accountId, filter });
        assert.deepEqual([both.calls, both.more], [[newest, oldest], false]);
      }
      const beside = (side: 'older' | 'newer', id = '') =>
        page(requests, { filter, limit: 1, beside: { id, side } });
      assert.deepEqual((await beside('older', newest?.id)).calls, [oldest]);
      assert.deepEqual((await beside('newer', oldest?.id)).calls, [newest]);
      assert.deepEqual((await page(requests, { filter: { provider: 'nobody' } })).calls, []);
    });

    test('among too many kinds calls are looked through for a while, and then from there on', async (t) => {
      const { requests } = (await setUp(t)).database;
      const kinds = limits.requestKindsMax + 1;
      const calls = callsOf(kinds + limits.requestLogSearchRows, (at) =>
        at < kinds ? { ending: 'aborted', modelAsked: `name ${at}` } : {},
      );
      for (const some of chunks(calls, limits.requestLogRowsAtOnce)) await requests.add(some);
      const filter: LogFilter = { ending: 'aborted' };
      let nowMs = 0;
      let passesMs: number = limits.requestLogSearchMs;
      t.mock.method(performance, 'now', () => {
        nowMs += passesMs;
        return nowMs;
      });
      const first = await page(requests, { filter });
      assert.deepEqual([first.calls, first.more, first.reached], [[], true, calls[kinds]?.id]);
      const second = await page(requests, { filter, limit: 2, beside: older(first) });
      const newest = [calls[kinds - 1], calls[kinds - 2]];
      assert.deepEqual([second.calls, second.more], [newest, true]);
      passesMs = 0;
      assert.deepEqual((await page(requests, { filter, limit: 2 })).calls, newest);
      const newer = { id: calls[kinds - 4]?.id ?? '', side: 'newer' } as const;
      const back = await page(requests, { filter, limit: 1, beside: newer });
      assert.deepEqual([back.calls, back.more], [[calls[kinds - 3]], true]);

      assert.equal(await requests.newestBehind(calls.length), undefined);
      assert.equal(await requests.newestBehind(calls.length - 1), calls[0]?.id);
      assert.equal(await requests.newestBehind(calls.length - 3), calls[2]?.id);
      assert.equal(await requests.newestBehind(1), calls.at(-2)?.id);
      assert.equal(await requests.newestBehind(0), calls.at(-1)?.id);
    });

    test('every call is summed up once, also when it is gone, and minutes become hours', async (t) => {
      const { requests } = (await setUp(t)).database;
      const [hourMs, minuteMs] = [3_600_000, 60_000];
      const fromMs = Math.floor(startMs / hourMs) * hourMs;
      const at = (ms: number, fields: Partial<LoggedCall> = {}) =>
        someCall({ id: someRequestId(fromMs + ms), accountId: 'mine', contentMs: 10, ...fields });
      const hit = [step('exact-cache', 'answered', 70), step('cost-guard', 'passed')];
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
      const told = async (accountId?: string) => {
        const { kinds, steps, stepTimes, modelTimes, modules } = await requests.sums({ ...asked, accountId });
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
        };
      };
      const before = await told('mine');
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
        ['content', 0, 55, 1],
        ['content', 0, 73, 1],
        ['overhead', 0, 49, 3],
        ['overhead', 1, 49, 1],
      ]);
      assert.deepEqual(before.ofModels, [
        ['groq', 'other', 103, 1],
        ['openai', 'gpt-6', 55, 1],
        ['openai', 'gpt-6', 73, 1],
      ]);
      assert.deepEqual(before.modules, [
        ['cost-guard', 'passed', 1, 500, 0],
        ['exact-cache', 'answered', 1, 500, 70],
      ]);
      assert.equal((await told()).steps.length, before.steps.length + 0);
      assert.equal(await requests.oldestSums('by-minute'), fromMs);
      const fold = async (ms: number) => requests.foldMinutes({ startMs: fromMs + ms, ms: hourMs });
      for (const ms of [0, 0, hourMs]) await fold(ms);
      assert.deepEqual(
        [await requests.oldestSums('by-minute'), await requests.oldestSums('folded')],
        [fromMs + 2 * hourMs, fromMs],
      );
      await requests.forget(calls[4]?.id ?? '', 100);
      await requests.forgetKinds();
      assert.deepEqual(await told('mine'), before);
      // Late, in the first minute of its hour, and in another.
      await requests.add([at(0, { accountId: 'late' }), at(minuteMs, { accountId: 'late' })]);
      const late = async () => {
        const { kinds, steps, times, ofModels, modules } = await told('late');
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
      assert.deepEqual((await told('mine')).kinds, [[null, null, 'gpt-6', 500, false, 1]]);
      const dayMs = 24 * hourMs;
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
      assert.deepEqual(await told(), { kinds: [], cost: 0, steps: [], times: [], ofModels: [], modules: [] });
    });

    test('the oldest are forgotten first, a bounded number at a time', async (t) => {
      const { requests } = (await setUp(t)).database;
      const calls = callsOf(10);
      await requests.add(calls);
      assert.equal(await requests.forget(firstIdAt(startMs), 100), 0);
      assert.equal(await requests.forget(firstIdAt(startMs + 4), 3), 3);
      assert.equal(await requests.forget(firstIdAt(startMs + 4), 3), 1);
      assert.equal(await requests.forget(calls[4]?.id ?? '', 3), 1);
      assert.deepEqual((await page(requests)).calls, calls.slice(5).toReversed());
      assert.equal(await requests.find(calls[0]?.id ?? '', undefined), undefined);
    });

    test('one at a time may clean, until it is over', async (t) => {
      const { open, database } = await setUp(t);
      const other = await open();
      const logs = [database.requests, other.requests, database.requests, other.requests];
      const won = await Promise.all(logs.map((log, at) => log.mayClean(`holder ${at}`, 1000, 2000)));
      assert.equal(won.filter(Boolean).length, 1);
      const winner = `holder ${won.indexOf(true)}`;
      assert.equal(await other.requests.mayClean('another', 1999, 3000), false);
      assert.equal(await other.requests.mayClean(winner, 1999, 3000), true);
      assert.equal(await database.requests.mayClean('another', 2999, 4000), false);
      assert.equal(await database.requests.mayClean('another', 3000, 4000), true);
      assert.equal(await database.requests.mayClean(winner, 3001, 4001), false);
    });
  });
}

/** One each millisecond, the oldest first. */
function callsOf(
  count: number,
  fields: (at: number) => Partial<LoggedCall> = () => ({}),
): readonly LoggedCall[] {
  return Array.from({ length: count }, (_, at) =>
    someCall({ id: someRequestId(startMs + at), ...fields(at) }),
  );
}

function step(module: string, effect: LoggedStep['effect'], savedNanoUsd?: number): LoggedStep {
  return { module, effect, ms: 0.5, facts: {}, ...(savedNanoUsd !== undefined && { savedNanoUsd }) };
}

function page(log: RequestLog, asked: Partial<LogQuestion> = {}): Promise<LogPage> {
  return log.page({ accountId: undefined, filter: {}, limit: 50, ...asked });
}

function older({ reached }: LogPage): LogQuestion['beside'] {
  assert.ok(reached !== undefined);
  return { id: reached, side: 'older' };
}

function shown({ calls, more, reached }: LogPage) {
  return { ids: calls.map(({ id }) => id), more, reached };
}
