import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogFilter, LoggedCall, LogQuery } from '../../../src/kernel/ports/request-log.ts';
import { limits } from '../../../src/storage/limits.ts';
import { chunks } from '../../../src/storage/sql/chunks.ts';
import { olderCursor, readPage, someCalls, someStep, startMs } from './request-log-samples.ts';
import { someCall, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function requestLogFiltersConformance(setUpDatabase: SetUpDatabase): void {
  describe('filters of the request log', () => {
    test('every filter lets through what it names, alone and with others', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const plain = someCalls(3);
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
        { steps: [someStep('exact-cache', 'answered'), someStep('cost-guard', 'passed')] },
        { steps: [someStep('exact-cache', 'passed'), someStep('cost-guard', 'rejected')] },
        { steps: [someStep('ipc', 'changed-request'), someStep('patterns', 'passed')] },
        { steps: [someStep('ipc', 'changed-reply')] },
        { steps: [someStep('ipc', 'changed-both')] },
        { client: 'codex', conversation: 'c1', endUser: 'u1' },
        { conversation: 'c1', status: 529, providerError: 'overloaded_error' },
        { endUser: 'u1', conversation: 'c2' },
        { tags: { env: 'prod', team: 'a' } },
        { tags: { team: 'a' }, keyId: 'key2', status: 503 },
        { tags: { ateam: 'a', team: 'b"team":"a' } },
        { wire: 'mcp', provider: null, modelAsked: 'github__find', modelUsed: 'github__find' },
        { wire: 'mcp', provider: null, modelAsked: 'github__lost', modelUsed: null },
      ] satisfies readonly Partial<LoggedCall>[];
      const others = odd.map((fields, at) => someCall({ id: someRequestId(startMs + 10 + at), ...fields }));
      await requests.add([...plain, ...others]);
      const [named, groq, key, e404, e499, e500, broken, e400, hit, refused, outbound, inbound, both] =
        others;
      const [ofCodex, overloaded, other, tagged, failedTagged, quoting, tool, noTool] = others.slice(13);
      const expected: readonly (readonly [LogFilter, readonly (LoggedCall | undefined)[]])[] = [
        [{ model: 'latest' }, [named]],
        [{ model: 'claude-5' }, [named]],
        [{ model: 'nothing' }, []],
        [{ provider: 'groq' }, [groq]],
        [{ wire: 'mcp' }, [noTool, tool]],
        [{ wire: 'mcp', model: 'github__find' }, [tool]],
        [{ wire: 'mcp', status: 'error' }, []],
        [{ wire: 'mcp', endUser: 'u1' }, []],
        [{ keyId: 'key' }, [e500, key]],
        [{ status: { least: 404, greatest: 404 } }, [e404]],
        [{ status: { least: 400, greatest: 499 } }, [e400, e499, e404]],
        [{ status: { least: 500, greatest: 599 } }, [failedTagged, overloaded, e500]],
        [{ status: 'error' }, [failedTagged, overloaded, e400, broken, e500, e499, e404]],
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
        [{ module: 'ipc' }, [both, inbound, outbound]],
        [{ module: 'ipc', effect: 'changed-request' }, [both, outbound]],
        [{ module: 'ipc', effect: 'changed-reply' }, [both, inbound]],
        [{ module: 'ipc', effect: 'changed-both' }, [both]],
        [{ module: 'patterns', effect: 'changed-request' }, []],
        [{ effect: 'changed-request' }, [both, outbound]],
        [{ effect: 'changed-reply' }, [both, inbound]],
        [{ effect: 'changed-request', status: 'error' }, []],
        [{ client: 'codex' }, [ofCodex]],
        [{ conversation: 'c1' }, [overloaded, ofCodex]],
        [{ conversation: 'c1', status: 'error' }, [overloaded]],
        [{ conversation: 'c1', client: 'claude-cli' }, []],
        [{ endUser: 'u1' }, [other, ofCodex]],
        [{ endUser: 'u1', conversation: 'c1' }, [ofCodex]],
        [{ endUser: 'u1', search: 'gpt' }, [other, ofCodex]],
        [{ tags: { team: 'a' } }, [failedTagged, tagged]],
        [{ tags: { team: 'a' }, status: 'error' }, [failedTagged]],
        [{ tags: { team: 'a', env: 'prod' } }, [tagged]],
        [{ tags: { team: 'b"team":"a' } }, [quoting]],
        [{ tags: { team: 'A' } }, []],
        [{ search: 'loaded_err' }, [overloaded]],
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
            (await readPage(requests, { accountId, filter })).calls,
            calls,
            JSON.stringify(filter),
          );
      const filter: LogFilter = { status: 'error', provider: 'openai' };
      const first = await readPage(requests, { filter, limit: 2 });
      assert.deepEqual([first.calls, first.more], [[failedTagged, overloaded], true]);
      const rest = await readPage(requests, { filter, limit: 3, beside: olderCursor(first) });
      assert.deepEqual([rest.calls, rest.more], [[broken, e500, e499], true]);
      const newer = { id: e404?.id ?? '', side: 'newer' } as const;
      const back = await readPage(requests, { filter, limit: 2, beside: newer });
      assert.deepEqual([back.calls, back.more, back.reached], [[e500, e499], true, e500?.id]);
    });

    test('times are from the first millisecond to before the last', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = someCalls(5);
      await requests.add(calls);
      const times = async (filter: LogFilter, beside?: LogQuery['beside']) =>
        (await readPage(requests, { filter, beside })).calls.map(({ atMs }) => atMs - startMs);
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
      const { requests } = (await setUpDatabase(t)).database;
      const calls = someCalls(300, (at) => (at === 0 || at === 299 ? { modelUsed: 'rare' } : {}));
      await requests.add(calls);
      const [oldest, newest] = [calls.at(0), calls.at(-1)];
      const filter = { model: 'rare' };
      for (const accountId of ['local', undefined]) {
        const both = await readPage(requests, { accountId, filter });
        assert.deepEqual([both.calls, both.more], [[newest, oldest], false]);
      }
      const beside = (side: 'older' | 'newer', id = '') =>
        readPage(requests, { filter, limit: 1, beside: { id, side } });
      assert.deepEqual((await beside('older', newest?.id)).calls, [oldest]);
      assert.deepEqual((await beside('newer', oldest?.id)).calls, [newest]);
      assert.deepEqual((await readPage(requests, { filter: { provider: 'nobody' } })).calls, []);
    });

    test('calls of many kinds are found among the newest, and also behind them', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const kinds = limits.requestKindsFew + 1;
      const newer = limits.requestLogFirstSteps * limits.requestLogSearchRows;
      const calls = someCalls(kinds + newer, (at) =>
        at < kinds || at === kinds + newer - 1 ? { ending: 'aborted', modelAsked: `name ${at}` } : {},
      );
      for (const some of chunks(calls, requests.rowsAtOnce)) await requests.add(some);
      const filter: LogFilter = { ending: 'aborted' };
      assert.deepEqual((await readPage(requests, { filter, limit: 1 })).calls, [calls.at(-1)]);
      const { calls: found, more } = await readPage(requests, { filter, limit: 3 });
      assert.deepEqual([found, more], [[calls.at(-1), calls[kinds - 1], calls[kinds - 2]], true]);
    });

    test('among too many kinds calls are looked through for a while, and then from there on', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const kinds = limits.requestKindsMax + 1;
      const calls = someCalls(kinds + limits.requestLogSearchRows, (at) =>
        at < kinds ? { ending: 'aborted', modelAsked: `name ${at}` } : {},
      );
      for (const some of chunks(calls, requests.rowsAtOnce)) await requests.add(some);
      const filter: LogFilter = { ending: 'aborted' };
      let nowMs = 0;
      let passesMs: number = limits.requestLogSearchMs;
      t.mock.method(performance, 'now', () => {
        nowMs += passesMs;
        return nowMs;
      });
      const first = await readPage(requests, { filter });
      assert.deepEqual([first.calls, first.more, first.reached], [[], true, calls[kinds]?.id]);
      const second = await readPage(requests, { filter, limit: 2, beside: olderCursor(first) });
      const newest = [calls[kinds - 1], calls[kinds - 2]];
      assert.deepEqual([second.calls, second.more], [newest, true]);
      passesMs = 0;
      assert.deepEqual((await readPage(requests, { filter, limit: 2 })).calls, newest);
      const newer = { id: calls[kinds - 4]?.id ?? '', side: 'newer' } as const;
      const back = await readPage(requests, { filter, limit: 1, beside: newer });
      assert.deepEqual([back.calls, back.more], [[calls[kinds - 3]], true]);

      assert.equal(await requests.newestBehind(calls.length), undefined);
      assert.equal(await requests.newestBehind(calls.length - 1), calls[0]?.id);
      assert.equal(await requests.newestBehind(calls.length - 3), calls[2]?.id);
      assert.equal(await requests.newestBehind(1), calls.at(-2)?.id);
      assert.equal(await requests.newestBehind(0), calls.at(-1)?.id);
    });
  });
}
