import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { someCall, someRequestId } from '../../../../test/conformance/database/samples.ts';
import { assertError } from '../../../../test/support/assert-error.ts';
import type { RawAnswer } from '../../../../test/support/call.ts';
import { startLogRoutes } from '../../../../test/support/log-routes.ts';
import type { LoggedCall } from '../../../kernel/ports/request-log.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { callSchema } from './call-schema.ts';
import { encodeCursor } from './request-cursor.ts';

const noonMs = Date.UTC(2026, 10, 15, 12);

test('a call is described with all that is known of it', async (t) => {
  const { get, log } = await setUp(t);
  const id = someRequestId(noonMs + 7);
  await log.add([
    someCall({
      id,
      accountId: 'a',
      keyId: 'key',
      askedBy: 'judge',
      costNanoUsd: 3_100_000,
      savedNanoUsd: 1_000_000_000,
      steps: [
        {
          module: 'exact-cache',
          effect: 'passed',
          ms: 0.2,
          facts: { miss: true },
          savedNanoUsd: 500_000_000,
        },
      ],
      changes: [{ what: 'left-out', name: 'top_k' }],
    }),
  ]);
  const { status, json } = await get(`/v1/requests/${id}`, 'a');
  assert.equal(status, 200);
  assert.deepEqual(json, {
    id,
    created_at: '2026-11-15T12:00:00.007Z',
    account_id: 'a',
    key_id: 'key',
    asked_by: 'judge',
    agent: null,
    client: null,
    conversation: null,
    parent_conversation: null,
    end_user: null,
    tags: {},
    prompt: null,
    weight: 1,
    model: 'gpt-6',
    model_used: 'gpt-6',
    provider: 'openai',
    wire_format: 'openai-chat',
    provider_wire_format: 'openai-chat',
    streamed: false,
    status: 200,
    ending: 'complete',
    error_code: null,
    provider_error: null,
    error_message: null,
    provider_request_id: null,
    stop_reason: null,
    input_tokens: 10,
    output_tokens: 20,
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    reasoning_tokens: 5,
    units: null,
    cost_usd: '0.0031',
    cost_estimated: false,
    saved_usd: '1',
    first_content_ms: 12.345,
    total_ms: 67.89,
    overhead_ms: 0.5,
    left_ms: 0.25,
    connected_ms: 0.5,
    head_ms: 10.125,
    pipeline: 'none',
    modules: [{ name: 'exact-cache', effect: 'passed', ms: 0.2, saved_usd: '0.5', facts: { miss: true } }],
    tool_calls: [],
    changes: [{ what: 'left-out', name: 'top_k' }],
    attempts: [],
    cost_parts: {
      input_usd: '0.001',
      cache_read_usd: '0.0003',
      cache_write_usd: '0.0002',
      output_usd: '0.0016',
      other_usd: '0',
    },
  });
  const { cost_parts, ...listed } = json;
  assert.deepEqual(callSchema.parse(listed), listed);
  assert.deepEqual((await get('/v1/requests', 'a')).json.requests, [listed]);
  const dearer = someCall({ accountId: 'a', costNanoUsd: 3_100_001 });
  await log.add([dearer]);
  assert.equal((await get(`/v1/requests/${dearer.id}`, 'a')).json.cost_parts, null);
});

test('a call that is unknown, invalid or of another account is not found', async (t) => {
  const { get, log } = await setUp(t);
  const theirs = someCall({ accountId: 'b' });
  await log.add([theirs]);
  for (const id of [theirs.id, someRequestId(noonMs), 'req_1', '%00', "'", 'x'.repeat(1000), '%F0%9F%94%91'])
    assertError(await get(`/v1/requests/${id}`, 'a'), {
      status: 404,
      type: 'not_found',
      code: 'not_found',
    });
  assert.equal((await get(`/v1/requests/${theirs.id}`, 'b')).status, 200);
  assert.equal((await get(`/v1/requests/${theirs.id}`, 'local')).status, 200);
  assert.equal((await get(`/v1/requests/${theirs.id}`)).status, 401);
  assert.equal((await get('/v1/requests')).status, 401);
});

test('pages lead from the newest call to the oldest, and back', async (t) => {
  const { get, log } = await setUp(t);
  const calls = Array.from({ length: 60 }, (_, at) =>
    someCall({ id: someRequestId(noonMs + at), accountId: 'a' }),
  );
  await log.add([...calls, someCall({ accountId: 'b' })]);
  const ids = calls.map(({ id }) => id).toReversed();
  const first = await get('/v1/requests', 'a');
  assert.deepEqual([idsOf(first), first.json.has_more], [ids.slice(0, 50), true]);
  const second = await get(`/v1/requests?after=${first.json.next_cursor}`, 'a');
  assert.deepEqual(shown(second), { ids: ids.slice(50), more: false, next: null });
  const back = await get(`/v1/requests?limit=7&before=${second.json.previous_cursor}`, 'a');
  assert.deepEqual(idsOf(back), ids.slice(43, 50));
  assert.equal(back.json.has_more, true);
  const further = await get(`/v1/requests?limit=200&before=${back.json.previous_cursor}`, 'a');
  assert.deepEqual([idsOf(further), further.json.has_more], [ids.slice(0, 43), false]);
  const forth = await get(`/v1/requests?limit=3&after=${back.json.next_cursor}`, 'a');
  assert.deepEqual(idsOf(forth), ids.slice(50, 53));
  assert.equal(idsOf(await get('/v1/requests?limit=200', 'local')).length, 61);
});

test('what is new is seen by asking before the first call of the list', async (t) => {
  const { get, log } = await setUp(t);
  await log.add([someCall({ id: someRequestId(noonMs), accountId: 'a' })]);
  const { previous_cursor: before } = (await get('/v1/requests', 'a')).json;
  const none = await get(`/v1/requests?before=${before}`, 'a');
  assert.deepEqual(shown(none), { ids: [], more: false, next: null });
  const next = someCall({ id: someRequestId(noonMs + 1), accountId: 'a' });
  await log.add([next]);
  assert.deepEqual(idsOf(await get(`/v1/requests?before=${before}`, 'a')), [next.id]);
});

test('a log without calls has an empty page', async (t) => {
  const { get } = await setUp(t);
  assert.deepEqual((await get('/v1/requests', 'a')).json, {
    requests: [],
    has_more: false,
    next_cursor: null,
    previous_cursor: null,
    sorted_since: null,
  });
});

test('calls are sorted on request, in one page', async (t) => {
  const { get, log } = await setUp(t);
  const costs = [2_000_000, 3_000_000, 1_000_000];
  const calls = costs.map((costNanoUsd, at) =>
    someCall({ id: someRequestId(noonMs + at), accountId: 'a', costNanoUsd }),
  );
  await log.add([...calls, someCall({ accountId: 'b', costNanoUsd: 9_000_000 })]);
  const { json, ...rest } = await get('/v1/requests?sort=cost&limit=2', 'a');
  assert.deepEqual(idsOf({ json, ...rest }), [calls[1]?.id, calls[0]?.id]);
  assert.deepEqual([json.has_more, json.next_cursor, json.sorted_since], [false, null, null]);
  const { next_cursor: after } = (await get('/v1/requests?limit=1', 'a')).json;
  for (const query of [`sort=cost&after=${after}`, 'sort=name'])
    assert.equal((await get(`/v1/requests?${query}`, 'a')).status, 400, query);
});

test('filters are worded in the query', async (t) => {
  const { get, log } = await setUp(t);
  const dayMs = 86_400_000;
  const made: readonly Partial<LoggedCall>[] = [
    { id: someRequestId(noonMs - dayMs) },
    { id: someRequestId(noonMs), modelAsked: 'a model/with:signs & more' },
    { id: someRequestId(noonMs + 1), provider: 'groq', keyId: 'key' },
    { id: someRequestId(noonMs + 2), status: 404 },
    { id: someRequestId(noonMs + 3), status: 429, ending: 'failed' },
    { id: someRequestId(noonMs + dayMs), status: 500, provider: null },
  ];
  const calls = made.map((fields) => someCall({ accountId: 'a', ...fields }));
  await log.add(calls);
  const found = async (query: string) => {
    const answer = await get(`/v1/requests?${query}`, 'a');
    assert.equal(answer.status, 200, answer.text);
    return idsOf(answer).map((id) => calls.findIndex((call) => call.id === id));
  };
  assert.deepEqual(await found(`model=${encodeURIComponent('a model/with:signs & more')}`), [1]);
  assert.deepEqual(await found('provider=groq'), [2]);
  assert.deepEqual(await found('provider=none'), [5]);
  assert.deepEqual(await found('key_id=key'), [2]);
  assert.deepEqual(await found('status=404'), [3]);
  assert.deepEqual(await found('status=4xx'), [4, 3]);
  assert.deepEqual(await found('status=error'), [5, 4, 3]);
  assert.deepEqual(await found('status=2xx&ending=complete&provider=openai'), [1, 0]);
  assert.deepEqual(await found('ending=failed'), [4]);
  assert.deepEqual(await found('from=2026-11-15'), [5, 4, 3, 2, 1]);
  assert.deepEqual(await found('to=2026-11-15'), [4, 3, 2, 1, 0]);
  assert.deepEqual(await found('from=2026-11-15&to=2026-11-15'), [4, 3, 2, 1]);
  assert.deepEqual(await found('from=2026-11-15T12:00:00.001Z&to=2026-11-15T12:00:00.003Z'), [3, 2]);
  assert.deepEqual(await found('from=2026-11-15T13:00:00.003%2B01:00&limit=1'), [5]);
});

test('a query that is wrong is refused with the name of what is wrong', async (t) => {
  const { get } = await setUp(t);
  const wrong: Readonly<Record<string, readonly string[]>> = {
    limit: ['0', '-1', '201', '1.5', 'x', '', '1e9', '99999999999999999999'],
    after: [
      '',
      'x',
      'req_1',
      someRequestId(noonMs),
      'A'.repeat(10_000),
      '%00',
      encodeCursor('req_1'),
      `${encodeCursor(someRequestId(noonMs))}=`,
    ],
    before: ['', '-', '"'],
    from: [
      '',
      'yesterday',
      '2026-13-45',
      '0000-00-00',
      '1999-12-31',
      '2026-11-15T25:00:00Z',
      '2026-11-15T12:00:00+01:00',
      '275761-01-01',
    ],
    to: ['2026-02-30', '1'],
    model: ['', '%00', 'x'.repeat(1000)],
    provider: ['', 'a%00b'],
    key_id: ['', '%00'],
    status: ['', '600', '99', '6xx', '20', 'ok', '200,404'],
    ending: ['', 'done'],
  };
  for (const [name, values] of Object.entries(wrong))
    for (const value of values)
      assertError(await get(`/v1/requests?${name}=${value}`, 'a'), {
        status: 400,
        type: 'invalid_request',
        param: name,
      });
  const cursor = encodeCursor(someRequestId(noonMs));
  for (const [query, param] of [
    [`after=${cursor}&before=${cursor}`, 'before'],
    ['from=2026-11-15&to=2026-11-14', 'from'],
    ['from=2026-11-15T12:00:00Z&to=2026-11-15T12:00:00Z', 'from'],
    ['limit=1&limit=2', 'limit'],
  ] as const)
    assertError(await get(`/v1/requests?${query}`, 'a'), {
      status: 400,
      type: 'invalid_request',
      param,
    });
});

test('the description of the service has the routes, with what the query may say', async (t) => {
  const { get } = await setUp(t);
  const { text } = await get('/openapi.json');
  for (const said of ['/v1/requests/{id}', 'previous_cursor', 'first_content_ms', '"key_id"'])
    assert.ok(text.includes(said), said);
});

function idsOf({ json }: RawAnswer): readonly string[] {
  const { requests } = json;
  assert.ok(Array.isArray(requests));
  return requests.map(({ id }: JsonObject) => String(id));
}

function shown(answer: RawAnswer) {
  return { ids: idsOf(answer), more: answer.json.has_more, next: answer.json.next_cursor };
}

test('a summary is of the last day and of the own account, unless more is asked for by who may', async (t) => {
  const { get, log } = await setUp(t);
  const at = (ms: number, accountId: string) =>
    someCall({ id: someRequestId(ms), atMs: ms, accountId, costNanoUsd: 3_100_000 });
  await log.add([at(noonMs, 'a'), at(noonMs - 25 * 3_600_000, 'a'), at(noonMs, 'b')]);
  const total = async (query: string, name: string) => {
    const { status, json } = await get(`/v1/requests/summary${query}`, name);
    assert.equal(status, 200);
    return [figure(json, 'requests'), figure(json, 'cost_usd')];
  };
  assert.deepEqual(await total('', 'a'), [1, '0.0031']);
  assert.deepEqual(await total('?from=2026-11-13T00:00:00Z', 'a'), [2, '0.0062']);
  assert.deepEqual(await total('', 'local'), [2, '0.0062']);
  for (const query of ['?from=yesterday', '?from=2026-11-16T00:00:00Z', '?from=2026-01-01T00:00:00Z'])
    assertError(await get(`/v1/requests/summary${query}`, 'a'), { status: 400, type: 'invalid_request' });
});

test('a summary has what input cost beyond reading it from the cache of its provider, where prices are known', async (t) => {
  const { get, log } = await setUp(t);
  const called = (given: Partial<LoggedCall> = {}) => {
    const id = someRequestId(noonMs);
    return someCall({
      ...{ id, accountId: 'a', inputTokens: 10, cacheReadTokens: 3 },
      cacheWriteTokens: 4,
      ...given,
    });
  };
  const step = { module: 'exact-cache', effect: 'answered' as const, ms: 0.1, facts: {} };
  await log.add([
    called({ provider: 'cheap-cache', modelUsed: 'shared' }),
    called({ provider: 'cheap-cache', modelUsed: 'shared', steps: [step] }),
    called({ provider: 'somebody', modelUsed: 'shared' }),
    called({ provider: 'cheap-cache', modelUsed: 'own' }),
  ]);
  const { json } = await get('/v1/requests/summary', 'a');
  const { total, models, spans } = json;
  // 10 at 70 and 4 at 20 millionths of a dollar.
  assert.equal(isJsonObject(total) && total.cache_miss_usd, '0.00156');
  assert.ok(Array.isArray(models) && Array.isArray(spans));
  const misses = (some: readonly JsonObject[]) =>
    some.map(({ provider, model, cache_miss_usd: usd }) => [provider, model, usd]).sort();
  assert.deepEqual(misses(models), [
    ['cheap-cache', 'own', '0.00078'],
    ['cheap-cache', 'shared', '0.00078'],
    ['somebody', 'shared', '0'],
  ]);
  const span = spans.find(({ requests }: JsonObject) => requests === 4);
  assert.equal(span?.cache_miss_usd, '0.00156');
  assert.deepEqual(misses(span.models), [
    [undefined, 'own', '0.00078'],
    [undefined, 'shared', '0.00078'],
  ]);
});

test('failed calls are counted by cause and time, for any filter of the log and the own account', async (t) => {
  const { get, log } = await setUp(t);
  const minuteMs = 60_000;
  const failedAt = (minutes: number, given: Partial<LoggedCall> = {}) =>
    someCall({
      id: someRequestId(noonMs - minutes * minuteMs),
      ...{ accountId: 'a', status: 429, errorCode: 'upstream_error', providerError: 'rate_limit_exceeded' },
      ...given,
    });
  await log.add([
    failedAt(50, { keyId: 'key-1', client: 'codex', tags: { team: 'search' }, conversation: 'chat-1' }),
    failedAt(50, { endUser: 'ann', tags: { team: 'search', env: 'prod' } }),
    failedAt(5, { provider: 'groq' }),
    failedAt(5, { status: 402, errorCode: 'cost_ceiling_exceeded', providerError: null, endUser: 'ann' }),
    failedAt(4, { status: 200, ending: 'failed', errorCode: null, providerError: null, endUser: 'ann' }),
    failedAt(3, { status: 200, ending: 'complete', errorCode: null, providerError: null, endUser: 'ann' }),
    failedAt(2, { accountId: 'b' }),
  ]);
  const from = '2026-11-15T11:00:00Z';
  const causes = async (query: string, name = 'a') => {
    const { status, json } = await get(`/v1/requests/errors?from=${from}${query}`, name);
    assert.equal(status, 200, query);
    assert.deepEqual(
      [json.from, json.step_seconds, json.counted_since],
      ['2026-11-15T11:00:00.000Z', 300, null],
    );
    assert.ok(Array.isArray(json.causes));
    return json.causes.map(({ status: its, code, provider, provider_error, count, counts }: JsonObject) => {
      assert.ok(Array.isArray(counts) && counts.length === 13);
      return [
        its,
        code,
        provider,
        provider_error,
        count,
        counts.flatMap((some, step) => (some === 0 ? [] : [step])),
      ];
    });
  };
  const limitedBy = (provider: string, count: number, steps: readonly number[]) => [
    429,
    'upstream_error',
    provider,
    'rate_limit_exceeded',
    count,
    steps,
  ];
  const overBudget = [402, 'cost_ceiling_exceeded', null, null, 1, [11]];
  const broken = [200, 'failed', null, null, 1, [11]];
  const cases: readonly (readonly [query: string, found: readonly unknown[]])[] = [
    ['', [limitedBy('openai', 2, [2]), limitedBy('groq', 1, [11]), overBudget, broken]],
    ['provider=groq', [limitedBy('groq', 1, [11])]],
    ['key_id=key-1', [limitedBy('openai', 1, [2])]],
    ['client=codex', [limitedBy('openai', 1, [2])]],
    ['status=402', [overBudget]],
    ['status=200', [broken]],
    ['status=404', []],
    ['search=ceiling', [overBudget]],
    ['conversation=chat-1', [limitedBy('openai', 1, [2])]],
    ['tag=team:search', [limitedBy('openai', 2, [2])]],
    ['tag=team:search,env:prod', [limitedBy('openai', 1, [2])]],
    ['end_user=ann&status=200', [broken]],
    ['end_user=ann&status=4xx', [overBudget, limitedBy('openai', 1, [2])]],
    [`search=${someRequestId(noonMs - 5 * minuteMs).slice(0, 16)}`, [limitedBy('groq', 1, [11]), overBudget]],
  ];
  for (const [query, found] of cases)
    assert.deepEqual((await causes(`&${query}`)).map(String).sort(), found.map(String).sort(), query);
  assert.deepEqual(await causes('', 'b'), [limitedBy('openai', 1, [11])]);
  assert.deepEqual((await causes('', 'local'))[0], limitedBy('openai', 3, [2, 11]));
  assert.equal((await get('/v1/requests/errors')).status, 401);
  for (const query of ['from=yesterday', 'from=2026-11-16', 'from=2026-01-01', 'status=7'])
    assertError(await get(`/v1/requests/errors?${query}`, 'a'), { status: 400, type: 'invalid_request' });
});

test('of very many failed calls, the newest are counted where sums cannot tell the filter', async (t) => {
  const { get, log } = await setUp(t);
  const calls = Array.from({ length: 4100 }, (_, at) =>
    someCall({ id: someRequestId(noonMs - at * 1000), accountId: 'a', status: 500, conversation: 'loop' }),
  );
  await log.add(calls);
  const counted = async (query: string) => {
    const { json } = await get(`/v1/requests/errors${query}`, 'a');
    assert.ok(Array.isArray(json.causes));
    return [json.causes.map(({ count }: JsonObject) => count), json.counted_since];
  };
  const oldest = new Date(noonMs - 3999 * 1000).toISOString();
  assert.deepEqual(await counted('?conversation=loop'), [[4000], oldest]);
  assert.deepEqual(await counted(''), [[4100], null]);
});

function figure({ total }: JsonObject, name: string): unknown {
  return isJsonObject(total) ? total[name] : undefined;
}

function setUp(t: TestContext) {
  return startLogRoutes(t, noonMs + 60_000);
}
