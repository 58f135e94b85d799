import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someCall, someRequestId } from '../../../../test/conformance/database/samples.ts';
import { startLogRoutes } from '../../../../test/support/log-routes.ts';

const noonMs = Date.UTC(2026, 10, 15, 12);

test('end users are listed by cost, for the own account, as JSON and CSV', async (t) => {
  const { get, log } = await startLogRoutes(t, noonMs);
  const of = (at: number, fields: object) =>
    someCall({ id: someRequestId(noonMs + at), atMs: noonMs + at, accountId: 'a', ...fields });
  await log.add([
    of(0, { endUser: 'user-1', costNanoUsd: 1_000_000_000 }),
    of(1, { endUser: '=cmd()', costNanoUsd: 3_000_000_000, status: 500 }),
    of(2, { endUser: 'theirs', accountId: 'b', costNanoUsd: 9_000_000_000 }),
  ]);
  const { json } = await get('/v1/usage/end-users', 'a');
  assert.deepEqual([json.from, json.to], ['2026-10-17', '2026-11-15']);
  const users = json.end_users as readonly Record<string, unknown>[];
  assert.deepEqual(
    users.map((user) => [user.end_user, user.requests, user.failed, user.cost_usd]),
    [
      ['=cmd()', 1, 1, '3'],
      ['user-1', 1, 0, '1'],
    ],
  );
  assert.deepEqual((await get('/v1/usage/end-users?to=2026-11-14', 'a')).json.end_users, []);
  const csv = await get('/v1/usage/end-users?format=csv&limit=1', 'a');
  assert.match(csv.headers['content-type'] ?? '', /^text\/csv/);
  assert.match(csv.text, /^end_user,requests,.*,cost_usd\r\n'=cmd\(\),1,1,.*,3\r\n$/);
  assert.equal((await get('/v1/usage/end-users')).status, 401);
  for (const query of ['limit=0', 'limit=10001', 'format=xml', 'from=2026-11-15&to=2026-11-01'])
    assert.equal((await get(`/v1/usage/end-users?${query}`, 'a')).status, 400, query);
});

test('usage is exported by day, key and model', async (t) => {
  const { get, usage } = await startLogRoutes(t, noonMs);
  const day = {
    ...{ day: '2026-11-15', keyId: 'key', provider: 'openai', model: 'gpt-5', requests: 2, failed: 1 },
    ...{ inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, cacheWriteTokens: 6, costNanoUsd: 7e9 },
  };
  await usage.add({
    ...{ id: 'batch', atMs: noonMs, counted: [] },
    days: [
      { ...day, accountId: 'a' },
      { ...day, accountId: 'b', keyId: 'theirs' },
    ],
  });
  const { text } = await get('/v1/usage/export', 'a');
  assert.deepEqual(text.split('\r\n'), [
    'day,key_id,provider,model,requests,failed,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost_usd',
    '2026-11-15,key,openai,gpt-5,2,1,3,4,5,6,7',
    '',
  ]);
  assert.equal((await get('/v1/usage/export?to=2026-11-01', 'a')).text, '');
});

test('tags are listed by cost, for the own account, as JSON and CSV', async (t) => {
  const { get, usage } = await startLogRoutes(t, noonMs);
  const of = (tag: string, value: string, fields: object) => ({
    ...{ accountId: 'a', day: '2026-11-15', tag, value, requests: 2, failed: 1, inputTokens: 3 },
    ...{ outputTokens: 4, cacheReadTokens: 5, cacheWriteTokens: 6, costNanoUsd: 1e9, ...fields },
  });
  await usage.add({
    ...{ id: 'batch', atMs: noonMs, days: [], counted: [] },
    tags: [
      of('team', 'search', { costNanoUsd: 2e9 }),
      of('team', 'search', { day: '2026-11-14' }),
      of('team', '', { costNanoUsd: 5e8 }),
      of('env', 'prod', {}),
      of('', '', { costNanoUsd: 9e9 }),
      of('team', 'theirs', { accountId: 'b', costNanoUsd: 9e9 }),
    ],
  });
  const listed = async (query: string) => {
    const { json } = await get(`/v1/usage/tags?${query}`, 'a');
    const rows = json.tags as readonly Record<string, unknown>[];
    return rows.map((row) => [row.tag, row.value, row.requests, row.cost_usd]);
  };
  assert.deepEqual(await listed(''), [
    ['team', 'search', 4, '3'],
    ['env', 'prod', 2, '1'],
    ['team', null, 2, '0.5'],
  ]);
  assert.deepEqual(await listed('tag=team&limit=1&from=2026-11-15'), [['team', 'search', 2, '2']]);
  assert.equal(
    (await get('/v1/usage/tags?tag=env&format=csv', 'a')).text,
    'tag,value,requests,failed,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost_usd\r\nenv,prod,2,1,3,4,5,6,1\r\n',
  );
  for (const query of ['tag=', 'limit=0', 'format=xml', 'from=2026-11-15&to=2026-11-01'])
    assert.equal((await get(`/v1/usage/tags?${query}`, 'a')).status, 400, query);
  assert.equal((await get('/v1/usage/tags')).status, 401);
});
