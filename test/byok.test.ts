import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import { at } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { formats } from './support/formats.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const firstKey = 'sk-ant-api03-the-first-of-ada';
const secondKey = 'sk-ant-api03-the-second-of-ada';
const openaiKeys = { first: 'sk-proj-the-first-of-ada', second: 'sk-proj-the-second-of-ada' };

describe('a provider key', () => {
  test('is stored, listed by its hint and deleted, and never returned', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    assert.deepEqual((await ada.call({ path: '/v1/byok' })).json, { providers: [] });
    const stored = await put(ada, 'openai', ` ${openaiKeys.first}\n`);
    assert.equal(stored.status, 200);
    const { updatedAt, ...rest } = stored.json;
    assert.deepEqual(rest, { provider: 'openai', configured: true, hint: '-ada' });
    assert.match(String(updatedAt), timestamp);
    const short = await put(ada, 'anthropic', 'sk-ant-1');
    assert.equal(short.json.hint, null);
    const listed = await ada.call({ path: '/v1/byok' });
    assert.deepEqual(listed.json, { providers: [short.json, stored.json] });
    assert.ok(!listed.text.includes(openaiKeys.first) && !stored.text.includes(openaiKeys.first));
    const deleted = await ada.call({ method: 'DELETE', path: '/v1/byok/openai' });
    assert.equal(deleted.status, 204);
    assert.equal(deleted.text, '');
    assert.equal((await ada.call({ method: 'DELETE', path: '/v1/byok/openai' })).status, 204);
    assert.deepEqual((await ada.call({ path: '/v1/byok' })).json, { providers: [short.json] });
  });

  test('is for one account only', async (t) => {
    const { url } = await startCloud(t);
    const [ada, eve] = [await Person.signUp(url), await Person.signUp(url)];
    await put(ada, 'openai', openaiKeys.first);
    assert.deepEqual((await eve.call({ path: '/v1/byok' })).json, { providers: [] });
    await put(eve, 'openai', openaiKeys.second);
    await eve.call({ method: 'DELETE', path: '/v1/byok/openai' });
    assert.equal(at((await ada.call({ path: '/v1/byok' })).json, 'providers', 0, 'hint'), '-ada');
  });

  test('must be one that fits into a header, for a provider that there is', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    assert.equal((await put(ada, 'openai', 'x'.repeat(500))).status, 200);
    assert.equal((await put(ada, 'openai', 'x')).status, 200);
    for (const wrong of [
      '',
      '   ',
      'x'.repeat(501),
      'two words',
      'a\r\nx-evil: 1',
      'schlüssel',
      'nul\0',
      5,
      null,
    ])
      assertError(await put(ada, 'openai', wrong), { status: 400, type: 'invalid_request', param: 'key' });
    const extra = { method: 'PUT', path: '/v1/byok/openai', body: { key: openaiKeys.first, provider: 'x' } };
    assertError(await ada.call(extra), { status: 400, type: 'invalid_request', param: 'provider' });
    for (const provider of [
      'nobody',
      'OpenAI',
      '__proto__',
      'constructor',
      '%00',
      'openai%0d%0a',
      'x'.repeat(3000),
    ]) {
      assertError(await put(ada, provider, openaiKeys.first), { status: 404, type: 'not_found' });
      const deleted = await ada.call({ method: 'DELETE', path: `/v1/byok/${provider}` });
      assertError(deleted, { status: 404, type: 'not_found' });
    }
  });

  test('is refused where its shape is that of another provider', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    for (const [provider, key] of [
      ['openai', firstKey],
      ['anthropic', openaiKeys.first],
      ['gemini', 'gsk_abcdefgh'],
    ] as const) {
      const refused = await put(ada, provider, key);
      assertError(refused, { status: 400, type: 'invalid_request', code: 'provider_key_mismatch' });
      assert.ok(!refused.text.includes(key));
    }
    assert.deepEqual((await ada.call({ path: '/v1/byok' })).json, { providers: [] });
    assert.equal((await put(ada, 'mistral', 'a-key-of-no-shape')).status, 200);
  });

  test('can be registered with an API key, and neither replaced nor deleted', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { key } = await ada.makeKey();
    const byKey = (method: string, body?: object) =>
      call(url, { method, path: '/v1/byok/openai', headers: bearer(key), ...(body && { body }) });
    assertError(await byKey('DELETE'), { status: 403, type: 'permission_error' });
    assert.equal((await byKey('PUT', { key: openaiKeys.first })).status, 200);
    for (const again of [openaiKeys.first, openaiKeys.second])
      assertError(await byKey('PUT', { key: again }), { status: 403, type: 'permission_error' });
    assertError(await byKey('DELETE'), { status: 403, type: 'permission_error' });
    const listed = await call(url, { path: '/v1/byok', headers: ['x-api-key', key] });
    assert.equal(at(listed.json, 'providers', 0, 'hint'), '-ada');
    assert.equal((await put(ada, 'openai', `${openaiKeys.second}-x`)).json.hint, 'da-x');
  });

  test('can be one of several, up to twenty for each provider', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const path = '/v1/byok/openai/keys';
    const add = (body: object) => ada.call({ path, body });
    const list = async () => (await ada.call({ path })).json;
    assert.deepEqual(await list(), { provider: 'openai', keys: [] });
    await put(ada, 'openai', openaiKeys.first);
    const second = await add({ key: openaiKeys.second, name: 'second', weight: 3 });
    assert.equal(second.status, 201, second.text);
    const { id, updatedAt, ...rest } = second.json;
    assert.deepEqual(rest, {
      name: 'second',
      weight: 3,
      hint: '-ada',
      state: 'ok',
      until: null,
      models: [],
    });
    assert.match(String(updatedAt), timestamp);
    const listed = await list();
    assert.deepEqual([at(listed, 'keys', 0, 'weight'), at(listed, 'keys', 1)], [1, second.json]);
    for (const [param, wrong] of [
      ['key', { key: openaiKeys.second }],
      ['key', { key: 'two words' }],
      ['weight', { key: 'sk-proj-other', weight: 0 }],
      ['weight', { key: 'sk-proj-other', weight: 1.5 }],
      ['weight', { key: 'sk-proj-other', weight: 1001 }],
      ['name', { key: 'sk-proj-other', name: 5 }],
    ] as const)
      assertError(await add(wrong), { status: 400, type: 'invalid_request', param });
    assert.equal(at((await add({ key: firstKey })).json, 'error', 'code'), 'provider_key_mismatch');
    await put(ada, 'openai', 'sk-proj-replaced-0000');
    const replaced = await list();
    assert.deepEqual(at(replaced, 'keys', 1), second.json);
    assert.deepEqual(
      [at(replaced, 'keys', 0, 'id'), at(replaced, 'keys', 0, 'hint')],
      [at(listed, 'keys', 0, 'id'), '0000'],
    );
    const oneOf = (key: unknown, method = 'DELETE') => ada.call({ method, path: `${path}/${String(key)}` });
    assert.equal((await oneOf(at(listed, 'keys', 0, 'id'))).status, 204);
    assertError(await oneOf(at(listed, 'keys', 0, 'id')), { status: 404, type: 'not_found' });
    assert.deepEqual(at(await list(), 'keys'), [second.json]);
    assert.equal(at((await ada.call({ path: '/v1/byok' })).json, 'providers', 0, 'hint'), '-ada');
    for (let number = 1; number < 20; number++) await add({ key: `sk-proj-number-${number}` });
    const tooMany = await add({ key: 'sk-proj-number-20' });
    assert.deepEqual([tooMany.status, at(tooMany.json, 'error', 'code')], [409, 'key_limit_reached']);
    await ada.call({ method: 'DELETE', path: '/v1/byok/openai' });
    assert.deepEqual(at(await list(), 'keys'), []);

    const { key } = await ada.makeKey();
    const byKey = (method: string, more = '', body?: object) =>
      call(url, { method, path: path + more, headers: bearer(key), ...(body && { body }) });
    assert.equal((await byKey('POST', '', { key: openaiKeys.first })).status, 201);
    assertError(await byKey('POST', '', { key: openaiKeys.second }), {
      status: 403,
      type: 'permission_error',
    });
    assertError(await byKey('DELETE', '/x'), { status: 403, type: 'permission_error' });
    assert.equal((await byKey('GET')).status, 200);
  });

  test('needs a credential', async (t) => {
    const { url } = await startCloud(t);
    for (const headers of [[], bearer('x'), ['x-provider-key', openaiKeys.first]])
      for (const [method, path] of [
        ['GET', '/v1/byok'],
        ['PUT', '/v1/byok/openai'],
        ['DELETE', '/v1/byok/openai'],
        ['GET', '/v1/byok/openai/keys'],
        ['POST', '/v1/byok/openai/keys'],
        ['DELETE', '/v1/byok/openai/keys/x'],
      ] as const)
        assertError(await call(url, { method, path, headers }), {
          status: 401,
          type: 'authentication_error',
        });
  });

  test('pays for the calls of its account, from the next call on', async (t) => {
    const { fake, url } = await startBehind(t);
    const [ada, eve] = [await Person.signUp(url), await Person.signUp(url)];
    const [adas, eves] = [await ada.makeKey(), await eve.makeKey()];
    const missing = await inference(url, adas.key);
    assert.equal(missing.status, 401);
    assert.equal(at(missing.json, 'error', 'code'), 'provider_key_missing');
    for (const key of [firstKey, secondKey]) {
      await put(ada, 'anthropic', key);
      assert.equal((await inference(url, adas.key)).status, 200);
      assert.equal(fake.requests.at(-1)?.headers['x-api-key'], key);
    }
    assert.equal((await inference(url, eves.key)).status, 401);
    await ada.call({ method: 'DELETE', path: '/v1/byok/anthropic' });
    assert.equal((await inference(url, adas.key)).status, 401);
    assert.equal(fake.requests.length, 2);
  });

  test('stands in no log and no answer', async (t) => {
    const { fake, url, logLines } = await startBehind(t);
    const ada = await Person.signUp(url);
    const { key } = await ada.makeKey();
    await put(ada, 'anthropic', firstKey);
    const { text, rawHeaders } = await inference(url, key);
    assert.equal(fake.requests.length, 1);
    assert.ok(!`${text}${rawHeaders}${logLines.join('')}`.includes(firstKey));
  });
});

describe('in local mode', () => {
  test('a provider key needs no account, and any token is taken', async (t) => {
    const gateway = await startTestGateway();
    t.after(() => gateway.close());
    const { url } = gateway;
    for (const headers of [[], bearer('whatever'), bearer('gw_live_x')]) {
      const path = '/v1/byok/openai';
      for (const key of Object.values(openaiKeys))
        assert.equal((await call(url, { method: 'PUT', path, headers, body: { key } })).status, 200);
      const listed = await call(url, { path: '/v1/byok', headers });
      assert.equal(at(listed.json, 'providers', 0, 'provider'), 'openai');
      assert.equal((await call(url, { method: 'DELETE', path, headers })).status, 204);
    }
  });

  test('a token that was set is asked for', async (t) => {
    const gateway = await startTestGateway({ WEIR_LOCAL_TOKEN: 'open sesame' });
    t.after(() => gateway.close());
    const { url } = gateway;
    assertError(await call(url, { path: '/v1/byok', headers: bearer('whatever') }), {
      status: 401,
      type: 'authentication_error',
    });
    assert.equal((await call(url, { path: '/v1/byok', headers: bearer('open sesame') })).status, 200);
  });

  test('keys and users are not there, whatever is sent', async (t) => {
    const gateway = await startTestGateway();
    t.after(() => gateway.close());
    for (const path of ['/v1/keys', '/v1/keys/x', '/v1/users/signup', '/v1/users/login', '/v1/users/me'])
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
        assertError(await call(gateway.url, { method, path }), {
          status: 503,
          type: 'permission_error',
          code: 'local_mode',
        });
  });
});

describe('a new secret', () => {
  const before = { WEIR_MODE: 'cloud', WEIR_SECRET: 'the first secret of thirty-two letters' };
  const after = { ...before, WEIR_SECRET: 'the second secret of thirty-two letters' };

  test('opens what the previous one sealed, and after "weir reseal" does without it', async (t) => {
    const fake = await FakeUpstream.start();
    t.after(() => fake.close());
    const house = { WEIR_DATA_DIR: emptyFolder(t), WEIR_ANTHROPIC_BASE_URL: fake.url };
    const first = await startCloud(t, { ...before, ...house });
    const ada = await Person.signUp(first.url, 'ada@example.com');
    const { key } = await ada.makeKey();
    await put(ada, 'anthropic', firstKey);
    const another = { path: '/v1/byok/openai/keys', body: { key: openaiKeys.second } };
    await put(ada, 'openai', openaiKeys.first);
    assert.equal((await ada.call(another)).status, 201);
    await first.close();

    const both = { ...after, ...house, WEIR_SECRET_PREVIOUS: before.WEIR_SECRET };
    const second = await startCloud(t, both);
    const paid = async (url: string) => {
      fake.answerWith({ body: formats[0]?.whole('Hello') ?? '' });
      const { status } = await inference(url, key);
      return [status, fake.requests.at(-1)?.headers['x-api-key']];
    };
    assert.deepEqual(await paid(second.url), [200, firstKey]);

    const resealing = new WeirProcess(t, { args: ['reseal'], environment: both });
    assert.deepEqual(await resealing.exited, { code: 0, signal: null }, resealing.stderr);
    assert.match(resealing.stdout, /\b3 keys\b/);
    assert.ok(!`${resealing.stdout}${resealing.stderr}`.includes(firstKey));
    assert.deepEqual(await paid(second.url), [200, firstKey]);
    await second.close();

    const third = await startCloud(t, { ...after, ...house });
    assert.deepEqual(await paid(third.url), [200, firstKey]);
  });

  test('alone can not open what another sealed, and says what to do', async (t) => {
    const folder = { WEIR_DATA_DIR: emptyFolder(t) };
    const first = await startCloud(t, { ...before, ...folder });
    const ada = await Person.signUp(first.url, 'ada@example.com');
    const { key } = await ada.makeKey();
    await put(ada, 'anthropic', firstKey);
    await first.close();
    const second = await startCloud(t, { ...after, ...folder });
    const { status, json } = await inference(second.url, key);
    assert.equal(status, 500);
    assert.equal(at(json, 'error', 'code'), 'provider_key_unreadable');
    assert.match(String(at(json, 'error', 'message')), /PUT \/v1\/byok\/anthropic/);
    const resealing = new WeirProcess(t, { args: ['reseal'], environment: { ...after, ...folder } });
    assert.equal((await resealing.exited).code, 1);
    assert.match(resealing.stderr, /1 key/);
  });
});

async function startBehind(t: Parameters<typeof startCloud>[0]) {
  const fake = await FakeUpstream.start();
  t.after(() => fake.close());
  for (let calls = 0; calls < 3; calls++) fake.answerWith({ body: formats[0]?.whole('Hello') ?? '' });
  const { url, logLines } = await startCloud(t, { WEIR_ANTHROPIC_BASE_URL: fake.url });
  return { fake, url, logLines };
}

function put(person: Person, provider: string, key: unknown): Promise<RawAnswer> {
  return person.call({ method: 'PUT', path: `/v1/byok/${provider}`, body: { key } });
}

function inference(url: string, token: string): Promise<RawAnswer> {
  return call(url, {
    path: '/v1/messages',
    headers: bearer(token),
    body: { model: 'claude-sonnet-4-5', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
  });
}

describe('trying a stored key', () => {
  test('asks its provider for what costs nothing, and quotes nobody', async (t) => {
    const fake = await FakeUpstream.start();
    t.after(() => fake.close());
    const { url } = await startCloud(t, {
      WEIR_ANTHROPIC_BASE_URL: fake.url,
      WEIR_OPENROUTER_BASE_URL: `${fake.url}/api/v1`,
      // Nobody listens on port 1.
      WEIR_GROQ_BASE_URL: 'http://127.0.0.1:1',
    });
    const ada = await Person.signUp(url);
    const tried = (provider: string) => ada.call({ method: 'POST', path: `/v1/byok/${provider}/test` });
    assertError(await tried('anthropic'), { status: 404, type: 'not_found' });
    assertError(await tried('nobody'), { status: 404, type: 'not_found' });
    await put(ada, 'anthropic', firstKey);
    await put(ada, 'openrouter', 'sk-or-v1-of-ada');
    await put(ada, 'groq', 'gsk_of_ada');

    fake.answerWith({ body: { data: [] } });
    assert.deepEqual((await tried('anthropic')).json, { ok: true, detail: 'Anthropic accepts the key' });
    const seen = fake.requests.at(-1);
    assert.deepEqual([seen?.method, seen?.url], ['GET', '/v1/models?limit=1']);
    assert.equal(seen?.headers['x-api-key'], firstKey);
    assert.equal(seen?.headers['anthropic-version'], '2023-06-01');

    fake.answerWith({ status: 401, body: { error: { message: 'Incorrect API key: sk-or-v1-of-ada' } } });
    const refused = await tried('openrouter');
    assert.deepEqual(refused.json, { ok: false, detail: 'OpenRouter rejects the key (401)' });
    assert.equal(fake.requests.at(-1)?.url, '/api/v1/key');
    assert.deepEqual((await tried('groq')).json, { ok: false, detail: 'Groq could not be reached' });
    fake.answerWith({ status: 500, body: {} });
    assert.match(String((await tried('anthropic')).json.detail), /answered 500/);
    const eve = await Person.signUp(url);
    assertError(await eve.call({ method: 'POST', path: '/v1/byok/anthropic/test' }), {
      status: 404,
      type: 'not_found',
    });
  });
});
