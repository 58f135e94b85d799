import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someCall, someRequestId } from '../../../../test/conformance/database/samples.ts';
import { assertError } from '../../../../test/support/assert-error.ts';
import { at } from '../../../../test/support/at.ts';
import { startLogRoutes } from '../../../../test/support/log-routes.ts';
import type { LoggedCall } from '../../../kernel/ports/request-log.ts';

const noonMs = Date.UTC(2026, 10, 15, 12);
const turn = { tools: 't', system: 's', called: { Read: 2, Bash: 1 } };
const callAt = (ms: number, over: Partial<LoggedCall>) =>
  someCall({
    id: someRequestId(noonMs + ms),
    ...{ accountId: 'a', conversation: 'session', totalMs: 500, turn, ...over },
  });

test('a conversation is described with its sums, and its calls in order with those of subagents', async (t) => {
  const { get, log } = await startLogRoutes(t, noonMs);
  await log.add([
    callAt(0, {
      client: 'claude-cli',
      stopReason: 'tool_use',
      cacheWriteTokens: 9000,
      costNanoUsd: 1_000_000,
    }),
    callAt(1000, { conversation: 'session:a1', parentConversation: 'session', agent: 'subagent:Explore' }),
    callAt(2000, { cacheReadTokens: 0, cacheWriteTokens: 0, inputTokens: 9100, modelUsed: 'other' }),
    callAt(9000, { accountId: 'b', costNanoUsd: 5 }),
  ]);
  const { status, json } = await get('/v1/conversations/session', 'a');
  assert.equal(status, 200);
  const conversation = {
    ...{ id: 'session', account_id: 'a', client: 'claude-cli', end_user: null, key_id: null },
    ...{ models: ['gpt-6', 'other'], calls: 3, failed: 0, duration_ms: 2500 },
    ...{ started_at: '2026-11-15T12:00:00.000Z', ended_at: '2026-11-15T12:00:02.500Z' },
    ...{ input_tokens: 9120, output_tokens: 60, cache_read_tokens: 6, cache_write_tokens: 9004 },
    ...{ cost_usd: '0.001000012', saved_usd: '0' },
  };
  assert.deepEqual(json.conversation, conversation);
  assert.deepEqual((await get('/v1/conversations', 'a')).json, {
    conversations: [conversation],
    next_cursor: null,
  });
  const calls = Array.isArray(json.calls) ? json.calls : [];
  assert.deepEqual(
    calls.map((call) => [at(call, 'agent'), at(call, 'cause'), at(call, 'context_tokens')]),
    [
      [null, 'prompt', 9013],
      ['subagent:Explore', 'prompt', 17],
      [null, 'tool_results', 9100],
    ],
  );
  assert.deepEqual(at(calls[0], 'tool_calls'), [
    { name: 'Read', count: 2 },
    { name: 'Bash', count: 1 },
  ]);
  assert.deepEqual(
    calls.map((call) => [at(call, 'results_of'), at(call, 'result_tokens')]),
    [
      [[], null],
      [[], null],
      // 20 of the tokens are those of the answer before.
      [at(calls[0], 'tool_calls'), 9100 - 9013 - 20],
    ],
  );
  assert.equal(at(calls[1], 'parent_conversation'), 'session');
  assert.equal(at(calls[0], 'cache_break'), null);
  assert.deepEqual(at(calls[2], 'cache_break'), { reason: 'model', lost_tokens: 9003, cost_usd: '0' });
});

test('a page of calls is compared with the calls before it', async (t) => {
  const { get, log } = await startLogRoutes(t, noonMs);
  const calls = [0, 9000, 9000, 0].map((cacheReadTokens, turnAt) =>
    callAt(turnAt, { cacheReadTokens, cacheWriteTokens: cacheReadTokens === 0 ? 9000 : 0 }),
  );
  await log.add(calls);
  const seen: unknown[] = [];
  for (let path: string | undefined = '/v1/conversations/session?limit=1'; path !== undefined; ) {
    const { json } = await get(path, 'a');
    for (const call of Array.isArray(json.calls) ? json.calls : [])
      seen.push([at(call, 'id'), at(at(call, 'cache_break'), 'reason')]);
    path =
      json.next_cursor === null
        ? undefined
        : `/v1/conversations/session?limit=1&after=${String(json.next_cursor)}`;
  }
  const reasons = [undefined, undefined, undefined, 'unknown'];
  assert.deepEqual(
    seen,
    calls.map(({ id }, turnAt) => [id, reasons[turnAt]]),
  );
});

test('an account has its own conversations only, in pages and by filters', async (t) => {
  const { get, log } = await startLogRoutes(t, noonMs);
  await log.add([
    callAt(0, { conversation: 'one', client: 'codex' }),
    callAt(1, { conversation: 'two', endUser: 'user-1' }),
    callAt(2, { conversation: 'three', accountId: 'b' }),
  ]);
  const ids = async (query: string, name: string) => {
    const { json } = await get(`/v1/conversations${query}`, name);
    return Array.isArray(json.conversations) ? json.conversations.map((one) => at(one, 'id')) : json;
  };
  assert.deepEqual(await ids('', 'a'), ['two', 'one']);
  assert.deepEqual(await ids('', 'b'), ['three']);
  assert.deepEqual(await ids('', 'local'), ['three', 'two', 'one']);
  assert.deepEqual(await ids('?client=codex', 'a'), ['one']);
  assert.deepEqual(await ids('?end_user=user-1', 'a'), ['two']);
  assert.deepEqual(await ids('?search=t', 'a'), ['two']);
  assert.deepEqual(await ids('?to=2026-11-14', 'a'), []);
  const first = await get('/v1/conversations?limit=1', 'a');
  assert.deepEqual(await ids(`?limit=1&after=${String(first.json.next_cursor)}`, 'a'), ['one']);
  for (const name of ['a', 'b', 'nobody'])
    assert.equal((await get('/v1/conversations/three', name)).status, name === 'b' ? 200 : 404);
  for (const query of ['?after=x', '?limit=0', '?search=%25', '?from=never'])
    assertError(await get(`/v1/conversations${query}`, 'a'), { status: 400, type: 'invalid_request' });
  assert.equal((await get('/v1/conversations')).status, 401);
});
