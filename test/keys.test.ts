import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { limits } from '../src/accounts/limits.ts';
import { assertError } from './support/assert-error.ts';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { startReplicas } from './support/replicas.ts';
import { emptyFolder } from './support/weir-process.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('making a key', () => {
  test('answers with the fields of the specification and no others', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { status, json, headers } = await ada.call({
      path: '/v1/keys',
      body: { name: 'laptop', pipelineConfig: 'exact-cache' },
    });
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(json).sort(), [
      'createdAt',
      'id',
      'key',
      'name',
      'pipelineConfig',
      'prefix',
    ]);
    assert.match(String(json.key), /^gw_live_[A-Za-z0-9_-]{43}$/);
    assert.equal(json.prefix, String(json.key).slice(0, 12));
    assert.equal(json.name, 'laptop');
    assert.equal(json.pipelineConfig, 'exact-cache');
    assert.match(String(json.createdAt), timestamp);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-weir-warnings'], undefined);
  });

  test('begins with the prefix that the operator chose', async (t) => {
    const { url } = await startCloud(t, { WEIR_KEY_PREFIX: 'a1B' });
    const { key } = await (await Person.signUp(url)).makeKey();
    assert.match(key, /^a1B_live_[A-Za-z0-9_-]{43}$/);
  });

  test('needs nothing but a session: no name is "", no pipeline is null', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    for (const answer of [
      await ada.call({ method: 'POST', path: '/v1/keys' }),
      await ada.call({ path: '/v1/keys', body: {} }),
    ]) {
      assert.equal(answer.status, 201);
      assert.equal(answer.json.name, '');
      assert.equal(answer.json.pipelineConfig, null);
    }
  });

  test('counts characters as people do', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    for (const fine of [
      { name: 'é'.repeat(120) },
      { name: '🔑'.repeat(120) },
      { name: '"; drop table api_keys; --' },
      { name: '<script>alert(1)</script>\r\nx-evil: 1' },
      { pipelineConfig: 'x'.repeat(8000) },
      { pipelineConfig: '' },
    ]) {
      const { status, json } = await ada.call({ path: '/v1/keys', body: fine });
      assert.equal(status, 201);
      for (const [field, value] of Object.entries(fine)) assert.equal(json[field], value);
    }
    for (const [field, wrong] of [
      ['name', 'x'.repeat(121)],
      ['name', '🔑'.repeat(121)],
      ['name', 'x'.repeat(50_000)],
      ['name', null],
      ['name', 5],
      ['name', {}],
      ['name', 'NUL\0'],
      ['pipelineConfig', 'x'.repeat(8001)],
      ['pipelineConfig', null],
      ['pipelineConfig', ['exact-cache']],
      ['id', randomUUID()],
      ['key', 'gw_live_mine'],
    ] as const)
      assertError(await ada.call({ path: '/v1/keys', body: { [field]: wrong } }), {
        status: 400,
        type: 'invalid_request',
        param: field,
      });
  });

  test('warns of a pipeline that this instance could not run, and stores it', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const pipelineConfig = 'exact-cache,flux-capacitor-é,exact-cache?ttl=never';
    const made = await ada.call({ path: '/v1/keys', body: { pipelineConfig } });
    assert.equal(made.status, 201);
    assert.equal(made.json.pipelineConfig, pipelineConfig);
    const warnings = String(made.headers['x-weir-warnings']);
    assert.match(warnings, /^[ -~]{1,1000}$/);
    assert.match(warnings, /flux-capacitor/);
    assert.match(warnings, /"exact-cache" twice/);
    assert.match(warnings, /exact-cache\?ttl: /);
    const { key } = made.json;
    const { errors } = (await call(url, { path: '/v1/pipeline', headers: bearer(String(key)) })).json;
    assert.equal(Array.isArray(errors) && errors.length, 3);
    const checked = await ada.call({
      path: `/v1/pipeline/check?list=${encodeURIComponent('a?x=1,no-such')}`,
    });
    assert.match(String(checked.json.faults), /"a".*"no-such"/);
    const stored = await ada.call({
      method: 'PUT',
      path: '/v1/pipeline/gateway',
      body: { pipeline: 'none' },
    });
    assertError(stored, { status: 403, type: 'permission_error', code: 'forbidden' });
    const path = `/v1/keys/${made.json.id}`;
    const change = (config: string | null) =>
      ada.call({ method: 'PATCH', path, body: { pipelineConfig: config } });
    assert.equal((await change('exact-cache')).headers['x-weir-warnings'], undefined);
    assert.match(String((await change('no-such')).headers['x-weir-warnings']), /no-such/);
    assert.equal((await change(null)).headers['x-weir-warnings'], undefined);
  });

  test('ends at a hundred active keys', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const made = [];
    for (let keys = 0; keys < limits.activeKeysMax; keys++) made.push(await ada.makeKey());
    const refused = await ada.call({ path: '/v1/keys', body: {} });
    assertError(refused, { status: 409, type: 'invalid_request', code: 'key_limit_reached' });
    await ada.call({ method: 'DELETE', path: `/v1/keys/${made[0]?.id}` });
    assert.ok(await ada.makeKey());
    assert.equal((await keysOf(ada)).length, limits.activeKeysMax + 1);
  });
});

describe('the list of keys', () => {
  test('has the fields of the specification, the newest first, and no secret', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const first = await ada.makeKey({ name: 'first' });
    const second = await ada.makeKey({ name: 'second', pipelineConfig: 'none' });
    const answer = await ada.call({ path: '/v1/keys' });
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json), ['keys']);
    const keys = await keysOf(ada);
    assert.deepEqual(new Set(keys.map(({ id }) => id)), new Set([first.id, second.id]));
    for (const key of keys) {
      assert.deepEqual(Object.keys(key).sort(), [
        'createdAt',
        'id',
        'lastUsedAt',
        'name',
        'pipelineConfig',
        'prefix',
        'revokedAt',
      ]);
      assert.equal(key.lastUsedAt, null);
      assert.equal(key.revokedAt, null);
    }
    for (const { key } of [first, second]) assert.ok(!answer.text.includes(key.slice(12)));
    assert.ok(!answer.text.includes('argon2'));
  });

  test('shows when a key was used, at once', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { id, key } = await ada.makeKey();
    const before = Date.now();
    assert.equal((await inference(url, key)).status, 200);
    const [shown] = (await keysOf(ada)).filter((listed) => listed.id === id);
    assert.match(String(shown?.lastUsedAt), timestamp);
    assert.ok(Date.parse(String(shown?.lastUsedAt)) >= before);
  });

  test('knows when a key was used after a restart', async (t) => {
    const environment = { WEIR_DATA_DIR: emptyFolder(t) };
    const first = await startCloud(t, environment);
    const ada = await Person.signUp(first.url);
    const { key } = await ada.makeKey();
    assert.equal((await inference(first.url, key)).status, 200);
    const [used] = await keysOf(ada);
    await first.close();
    const second = await startCloud(t, environment);
    const answer = await call(second.url, { path: '/v1/keys', headers: bearer(ada.token) });
    assert.equal(at(answer.json, 'keys', 0, 'lastUsedAt'), used?.lastUsedAt);
    assert.match(String(used?.lastUsedAt), timestamp);
    assert.equal((await inference(second.url, key)).status, 200);
  });
});

describe('changing a key', () => {
  test('answers with the key, and leaves what was not named', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const made = await ada.call({ path: '/v1/keys', body: { name: 'a', pipelineConfig: 'none' } });
    const { key: _, ...before } = made.json;
    const change = (body?: object) =>
      ada.call({ method: 'PATCH', path: `/v1/keys/${made.json.id}`, ...(body !== undefined && { body }) });
    for (const nothing of [await change({}), await change()]) {
      assert.equal(nothing.status, 200);
      assert.deepEqual(nothing.json, { ok: true, key: before });
    }
    assert.deepEqual((await change({ name: 'b' })).json.key, { ...before, name: 'b' });
    const cleared = await change({ pipelineConfig: null });
    assert.deepEqual(cleared.json.key, { ...before, name: 'b', pipelineConfig: null });
    for (const [field, wrong] of [
      ['name', null],
      ['name', 'x'.repeat(121)],
      ['pipelineConfig', 5],
      ['pipelineConfig', 'x'.repeat(8001)],
      ['revokedAt', null],
      ['prefix', 'x'],
    ] as const)
      assertError(await change({ [field]: wrong }), {
        status: 400,
        type: 'invalid_request',
        param: field,
      });
    const [listed] = await keysOf(ada);
    assert.equal(listed?.name, 'b');
  });

  test('holds for the next call', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { id, key } = await ada.makeKey();
    assert.equal((await inference(url, key)).status, 200);
    for (const [pipelineConfig, status] of [
      ['no-such-module', 400],
      ['none', 200],
      ['exact-cache?ttl=never', 400],
      [null, 200],
    ] as const) {
      await ada.call({ method: 'PATCH', path: `/v1/keys/${id}`, body: { pipelineConfig } });
      assert.equal((await inference(url, key)).status, status, String(pipelineConfig));
    }
  });
});

describe('revoking a key', () => {
  test('keeps it in the list and refuses it everywhere', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const [{ id, key }, other] = [await ada.makeKey(), await ada.makeKey()];
    assert.equal((await inference(url, key)).status, 200);
    const revoked = await ada.call({ method: 'DELETE', path: `/v1/keys/${id}` });
    assert.equal(revoked.status, 204);
    assert.equal(revoked.text, '');
    assert.equal((await inference(url, key)).status, 401);
    for (const path of ['/v1/usage', '/v1/byok', '/v1/models', '/v1/pipeline'])
      assert.equal((await call(url, { path, headers: bearer(key) })).status, 401, path);
    assert.equal((await inference(url, other.key)).status, 200);
    const [listed] = (await keysOf(ada)).filter((shown) => shown.id === id);
    assert.match(String(listed?.revokedAt), timestamp);
    for (const method of ['PATCH', 'DELETE'])
      assertError(
        await ada.call({ method, path: `/v1/keys/${id}`, ...(method === 'PATCH' && { body: {} }) }),
        {
          status: 404,
          type: 'not_found',
        },
      );
  });

  for (const [what, start] of [
    ['one process', startTwice],
    ['two replicas', startReplicas],
  ] as const)
    test(`under a hot loop of calls lets not one through after it is confirmed (${what})`, async (t) => {
      const [here, there] = await start(t);
      const ada = await Person.signUp(here.url);
      for (let round = 0; round < 5; round++) {
        const { id, key } = await ada.makeKey();
        let confirmed = false;
        const before: number[] = [];
        const begunAfter: number[] = [];
        const caller = async () => {
          while (begunAfter.length < 40) {
            const isAfter = confirmed;
            const { status } = await inference(there.url, key);
            (isAfter ? begunAfter : before).push(status);
          }
        };
        const callers = Array.from({ length: 4 }, caller);
        await eventually(() => before.find((status) => status === 200));
        assert.equal((await ada.call({ method: 'DELETE', path: `/v1/keys/${id}` })).status, 204);
        confirmed = true;
        await Promise.all(callers);
        assert.deepEqual(new Set(begunAfter), new Set([401]));
      }
    });

  test('and changing one holds on the other replica for the next call', async (t) => {
    const [here, there] = await startReplicas(t);
    const ada = await Person.signUp(here.url);
    const { id, key } = await ada.makeKey();
    for (const [pipelineConfig, status] of [
      ['none', 200],
      ['no-such-module', 400],
      [null, 200],
    ] as const) {
      await ada.call({ method: 'PATCH', path: `/v1/keys/${id}`, body: { pipelineConfig } });
      assert.equal((await inference(there.url, key)).status, status, String(pipelineConfig));
    }
    await ada.call({ method: 'DELETE', path: `/v1/keys/${id}` });
    assert.equal((await call(there.url, { path: '/v1/byok', headers: bearer(key) })).status, 401);
    const session = await call(there.url, { path: '/v1/users/me', headers: bearer(ada.token) });
    assert.equal(session.status, 200);
    await ada.call({ method: 'POST', path: '/v1/users/logout' });
    const ended = await call(there.url, { path: '/v1/users/me', headers: bearer(ada.token) });
    assert.equal(ended.status, 401);
  });
});

describe('keys belong to whoever is logged in', () => {
  test("another account's key, an unknown one and what is no id are not found", async (t) => {
    const { url } = await startCloud(t);
    const [ada, eve] = [await Person.signUp(url), await Person.signUp(url)];
    const { id, key } = await ada.makeKey();
    for (const wrong of [
      id,
      randomUUID(),
      'x',
      '%00',
      '%F0%9F%94%91',
      "'%20or%201=1",
      `${id}%0d%0ax-evil:%201`,
      'x'.repeat(2000),
      `${id}/x`,
    ])
      for (const method of ['PATCH', 'DELETE']) {
        const path = `/v1/keys/${wrong}`;
        const body = method === 'PATCH' ? { body: { name: 'mine' } } : {};
        assertError(await eve.call({ method, path, ...body }), { status: 404, type: 'not_found' });
      }
    assert.deepEqual(await keysOf(eve), []);
    assert.equal((await inference(url, key)).status, 200);
  });

  test('an API key can not manage keys, and a session token can not call models', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { id, key } = await ada.makeKey();
    for (const headers of [[], bearer(key), bearer('x'), ['x-api-key', key]])
      for (const [method, path] of [
        ['POST', '/v1/keys'],
        ['GET', '/v1/keys'],
        ['PATCH', `/v1/keys/${id}`],
        ['DELETE', `/v1/keys/${id}`],
      ] as const)
        assertError(await call(url, { method, path, headers }), {
          status: 401,
          type: 'authentication_error',
        });
    assert.equal((await inference(url, ada.token)).status, 401);
    assert.equal((await inference(url, '')).status, 401);
    const mistyped = `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`;
    assert.equal((await inference(url, mistyped)).status, 401);
    assert.equal((await inference(url, key)).status, 200);
  });
});

test('a database that does not take the key is an internal error, in the words of the specification', async (t) => {
  const folder = emptyFolder(t);
  const { url, logLines } = await startCloud(t, { WEIR_DATA_DIR: folder });
  const ada = await Person.signUp(url);
  const { id } = await ada.makeKey();
  const database = new DatabaseSync(join(folder, 'weir.db'), { timeout: 10_000 });
  t.after(() => database.close());
  for (const what of ['insert', 'update'])
    database.exec(
      `create trigger refuse_${what} before ${what} on api_keys begin select raise(abort, 'disk on fire'); end`,
    );
  for (const answer of [
    await ada.call({ path: '/v1/keys', body: {} }),
    await ada.call({ method: 'PATCH', path: `/v1/keys/${id}`, body: { name: 'x' } }),
    await ada.call({ method: 'DELETE', path: `/v1/keys/${id}` }),
  ]) {
    assertError(answer, { status: 500, type: 'internal_error' });
    assert.ok(!answer.text.includes('fire'));
  }
  assert.ok(logLines.some((line) => line.includes('disk on fire')));
  for (const what of ['insert', 'update']) database.exec(`drop trigger refuse_${what}`);
  assert.ok(await ada.makeKey());
});

test('no key stands in the log', async (t) => {
  const { url, logLines } = await startCloud(t);
  const ada = await Person.signUp(url);
  const { id, key } = await ada.makeKey();
  await inference(url, key);
  await inference(url, `${key}x`);
  await call(url, { path: `/v1/keys/${key}`, method: 'DELETE', headers: bearer(ada.token) });
  await ada.call({ method: 'DELETE', path: `/v1/keys/${id}` });
  await inference(url, key);
  assert.ok(!logLines.join('').includes(key.slice(12)));
});

/** One gateway in the place of two. */
async function startTwice(t: TestContext) {
  const gateway = await startCloud(t);
  return [gateway, gateway] as const;
}

function inference(url: string, token: string): Promise<RawAnswer> {
  return call(url, {
    path: '/v1/messages',
    headers: token === '' ? [] : bearer(token),
    body: { model: 'demo-1', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
  });
}

async function keysOf(person: Person): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { json } = await person.call({ path: '/v1/keys' });
  assert.ok(Array.isArray(json.keys));
  return json.keys.map(fieldsOf);
}
