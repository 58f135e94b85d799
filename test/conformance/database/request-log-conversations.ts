import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  ConversationsPage,
  ConversationsQuery,
  LoggedCall,
  RequestLog,
} from '../../../src/kernel/ports/request-log.ts';
import { readPage, startMs } from './request-log-samples.ts';
import { someCall, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const hourMs = 3_600_000;
const at = (ms: number, fields: Partial<LoggedCall>) =>
  someCall({ id: someRequestId(startMs + ms), accountId: 'mine', totalMs: 10, ...fields });

export function requestLogConversationsConformance(setUpDatabase: SetUpDatabase): void {
  describe('conversations of the request log', () => {
    test('every call is added once to its conversation, and a subagent’s to the one that started it', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const session = { conversation: 'session', client: 'claude-cli' };
      const subagent = { conversation: 'session:a1', parentConversation: 'session' };
      const turn = { tools: 'a', system: 'b', called: { Read: 2 }, hour: true } as const;
      const calls = [
        at(5, { ...session, keyId: 'key', turn }),
        at(0, { ...session, client: null, modelUsed: 'small', costNanoUsd: null }),
        at(3, { ...subagent, status: 500, weight: 0 }),
        at(9, { ...session, modelUsed: null, modelAsked: 'gpt\n6', endUser: 'user-1', ending: 'failed' }),
        at(4, { conversation: null }),
        at(4, { ...session, accountId: 'another', costNanoUsd: 1000 }),
      ];
      await requests.add(calls.slice(0, 3));
      await requests.add(calls);
      const sums = await requests.conversation('session', 'mine');
      assert.deepEqual(sums, {
        ...{ accountId: 'mine', conversation: 'session', requests: 4, failed: 2 },
        ...{ inputTokens: 40, outputTokens: 80, cacheReadTokens: 12, cacheWriteTokens: 16 },
        ...{ costNanoUsd: 18, savedNanoUsd: 0, firstMs: startMs, lastMs: startMs + 19 },
        ...{ keyId: 'key', client: 'claude-cli', endUser: 'user-1' },
        models: ['gpt-6', 'small', 'gpt 6'],
      });
      assert.equal((await requests.conversation('session', 'another'))?.costNanoUsd, 1000);
      assert.equal(await requests.conversation('session:a1', 'mine'), undefined);
      assert.equal(await requests.conversation('session', 'nobody'), undefined);
      const ofSession = await readPage(requests, { accountId: 'mine', filter: { session: 'session' } });
      assert.deepEqual(ofSession.calls, [calls[3], calls[0], calls[1]]);
    });

    test('the calls of a session and its subagents are in one order, by pages', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const calls = Array.from({ length: 7 }, (_, each) =>
        at(each, each % 3 === 1 ? { conversation: 's:a', parentConversation: 's' } : { conversation: 's' }),
      );
      await requests.add([...calls, at(2, { conversation: 'other' })]);
      const pages: (readonly LoggedCall[])[] = [];
      let id = '';
      for (let more = true; more; ) {
        const page = await readPage(requests, {
          filter: { session: 's' },
          beside: { id, side: 'newer' },
          limit: 3,
        });
        pages.push(page.calls.toReversed());
        ({ more } = page);
        id = page.reached ?? '';
      }
      assert.deepEqual(pages, [calls.slice(0, 3), calls.slice(3, 6), calls.slice(6)]);
    });

    test('are listed by their last call, in pages, by account, client, person, time and name', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      const names = ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'];
      const calls = names.map((conversation, each) =>
        at(Math.floor(each / 2) * hourMs + each, {
          conversation,
          client: conversation.startsWith('a') ? 'agent' : null,
          endUser: each === 3 ? 'user-1' : null,
          keyId: each === 2 ? 'key' : null,
        }),
      );
      await requests.add([...calls, at(10 * hourMs, { conversation: 'c', accountId: 'another' })]);
      const newest = names.toReversed();
      const mine = { accountId: 'mine' };
      assert.deepEqual(await allNames(requests, mine, 4), newest);
      assert.deepEqual(await allNames(requests, mine, 1), newest);
      assert.deepEqual(await allNames(requests, { accountId: undefined }, 2), ['c', ...newest]);
      assert.deepEqual(await allNames(requests, { ...mine, client: 'agent' }, 2), ['a3', 'a2', 'a1']);
      assert.deepEqual(await allNames(requests, { ...mine, endUser: 'user-1' }, 2), ['b2']);
      assert.deepEqual(await allNames(requests, { ...mine, keyId: 'key' }, 2), ['a2']);
      assert.deepEqual(await allNames(requests, { ...mine, search: 'b' }, 2), ['b3', 'b2', 'b1']);
      assert.deepEqual(await allNames(requests, { ...mine, search: 'b', client: 'agent' }, 2), []);
      const time = { fromMs: startMs + hourMs, toMs: startMs + 2 * hourMs };
      assert.deepEqual(await allNames(requests, { ...mine, ...time }, 2), ['b2', 'a2']);
      await requests.add([at(20 * hourMs, { conversation: 'a1' })]);
      assert.deepEqual(await allNames(requests, mine, 2), ['a1', ...newest.filter((name) => name !== 'a1')]);
    });

    test('are forgotten when their last call is expired', async (t) => {
      const { requests } = (await setUpDatabase(t)).database;
      await requests.add([
        at(0, { conversation: 'old' }),
        at(0, { conversation: 'new' }),
        at(hourMs, { conversation: 'new' }),
      ]);
      const plan = { nowMs: startMs, spanMs: 24 * hourMs };
      await requests.maintain({ ...plan, keptFromMs: startMs + 10 });
      assert.deepEqual(await allNames(requests, {}, 9), ['new', 'old']);
      await requests.maintain({ ...plan, keptFromMs: startMs + 11 });
      assert.deepEqual(await allNames(requests, {}, 9), ['new']);
    });
  });
}

async function allNames(
  log: RequestLog,
  query: Partial<ConversationsQuery>,
  limit: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  let next: ConversationsPage['next'];
  do {
    const page = await log.conversations({ accountId: undefined, ...query, after: next, limit });
    assert.ok(page.conversations.length <= limit);
    names.push(...page.conversations.map(({ conversation }) => conversation));
    ({ next } = page);
  } while (next !== undefined);
  return names;
}
