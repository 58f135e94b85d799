import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPage, someCalls, startMs } from './request-log-samples.ts';
import { someCall, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function requestLogRowsConformance(setUpDatabase: SetUpDatabase): void {
  describe('calls in the request log', () => {
    test('a call comes back as it was, with all that is known of it or with nothing', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
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
        providerError: 'rate_limit_exceeded',
        errorMessage: 'at most 5 calls a minute',
        providerRequestId: 'req_1',
        stopReason: 'end_turn',
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
        agent: 'subagent:Explore',
        client: 'claude-cli',
        conversation: 'session-1',
        endUser: 'user-1',
        tags: { env: 'prod', team: 'Größe "1"' },
        units: { images: 2, seconds: 1.5 },
        attempts: [
          {
            provider: 'provider',
            model: 'other',
            askedBy: null,
            ending: 'failed',
            errorCode: 'upstream_error',
            startedMs: 0.5,
            leftMs: null,
            connectedMs: null,
            headMs: null,
            contentMs: null,
            endedMs: 2.125,
            inputTokens: null,
            outputTokens: null,
            costNanoUsd: null,
          },
          {
            provider: 'provider',
            model: 'gpt-6-2026',
            askedBy: 'module',
            ending: 'aborted',
            errorCode: null,
            startedMs: 2.5,
            leftMs: 3,
            connectedMs: 3.5,
            headMs: 4,
            contentMs: 8.001,
            endedMs: 600_000,
            inputTokens: 1,
            outputTokens: 2,
            costNanoUsd: 6,
          },
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

    test('calls that the previous release packed are read', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = [someCall(), someCall()];
      const lists: unknown[][] = JSON.parse(requests.pack(calls));
      // It had 32 columns.
      const earlier = JSON.stringify(lists.map((list) => list.slice(0, 32)));
      const pack = requests.readPack(earlier);
      assert.ok(pack !== undefined && pack === requests.readPack(requests.pack(calls)));
      await requests.addPacked([pack]);
      for (const call of calls) assert.deepEqual(await requests.find(call.id, undefined), call);
      for (const text of ['', '[]', '[[]]', '[1]', '{}', earlier.slice(0, -1), earlier.replace('null', '')])
        assert.equal(requests.readPack(text), undefined, text);
    });

    test('a call is found by its own account only, or by who may see all', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const call = someCall({ accountId: 'a' });
      await requests.add([call]);
      assert.deepEqual(await requests.find(call.id, 'a'), call);
      assert.deepEqual(await requests.find(call.id, undefined), call);
      assert.equal(await requests.find(call.id, 'b'), undefined);
      assert.equal(await requests.find(someRequestId(startMs), undefined), undefined);
    });

    test('calls that are added again, at once or later, are there once and as they were', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const other = await open();
      const calls = someCalls(20);
      await database.requests.add(calls.slice(0, 10));
      const changed = calls.map((call) => ({ ...call, status: 500 }));
      await Promise.all(
        Array.from({ length: 6 }, (_, at) => (at % 2 ? database : other).requests.add(changed)),
      );
      const { calls: found } = await readPage(database.requests, { limit: 100 });
      assert.deepEqual(
        found.map(({ id, status }) => [id, status]),
        calls.map(({ id }, at) => [id, at < 10 ? 200 : 500]).toReversed(),
      );
    });

    test('a batch with a call that can not be stored adds nothing', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      await assert.rejects(requests.add([someCall(), someCall({ status: Number.NaN })]));
      assert.deepEqual((await readPage(requests)).calls, []);
      await requests.add([someCall()]);
      assert.equal((await readPage(requests)).calls.length, 1);
    });
  });
}
