import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import { call, type RawAnswer, type RawRequest } from './support/call.ts';
import { bearer, Person, password } from './support/cloud.ts';

const askCookie = ['x-weir-session', 'cookie'];
const samePage = ['sec-fetch-site', 'same-origin'];

describe('the cookie of a browser', () => {
  let weir: TestGateway;
  let cookie: string;
  let person: Person;
  before(async () => {
    weir = await startTestGateway({ WEIR_MODE: 'cloud' });
    person = await Person.signUp(weir.url);
    cookie = cookieOf(await logIn(person.email, askCookie));
  });
  after(() => weir.close());

  const logIn = (email: string, headers: readonly string[] = []) =>
    call(weir.url, { path: '/v1/users/login', body: { email, password }, headers });
  const withCookie = (sent: RawRequest) =>
    call(weir.url, { ...sent, headers: ['cookie', cookie, ...(sent.headers ?? [])] });

  test('is set where it is asked for, beside the same answer', async () => {
    const body = { email: 'cookie@example.com', password };
    const signedUp = await call(weir.url, { path: '/v1/users/signup', body, headers: askCookie });
    assert.equal(signedUp.status, 201);
    for (const answer of [signedUp, await logIn(body.email, askCookie)]) {
      assert.deepEqual(answer.headers['set-cookie'], [
        `weir_session=${String(answer.json.token)}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800`,
      ]);
      assert.deepEqual(Object.keys(answer.json), ['token', 'expiresAt', 'user']);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    }
    assert.equal((await logIn(body.email)).headers['set-cookie'], undefined);
  });

  test('is the session token on our own routes, from pages of our own', async () => {
    const { host } = new URL(weir.url);
    for (const headers of [
      samePage,
      ['sec-fetch-site', 'none'],
      ['origin', weir.url],
      ['origin', `http://LOCALHOST:${new URL(weir.url).port}`, 'host', `localhost:${new URL(weir.url).port}`],
      [],
    ]) {
      assert.equal((await withCookie({ path: '/v1/users/me', headers })).json.id, person.id);
      assert.equal((await withCookie({ method: 'HEAD', path: '/v1/users/me', headers })).status, 200);
    }
    for (const headers of [samePage, ['origin', `http://${host}`]])
      assert.equal((await withCookie({ path: '/v1/keys', body: {}, headers })).status, 201);
    assert.equal((await withCookie({ path: '/v1/usage', headers: samePage })).status, 200);
  });

  test('is refused where another page may have asked', async () => {
    for (const headers of [
      ['sec-fetch-site', 'cross-site'],
      ['sec-fetch-site', 'same-site', 'origin', weir.url],
      ['sec-fetch-site', ''],
      ['origin', 'https://evil.example'],
      ['origin', 'null'],
      ['origin', weir.url.replace('http:', 'https:')],
    ]) {
      assertCrossSite(await withCookie({ path: '/v1/users/me', headers }));
      assertCrossSite(await withCookie({ path: '/v1/requests', headers }));
      assertCrossSite(await withCookie({ path: '/v1/keys', body: {}, headers }));
    }
    // No browser leaves both out of what changes something.
    assertCrossSite(await withCookie({ path: '/v1/keys', body: {} }));
    assertCrossSite(await withCookie({ method: 'DELETE', path: '/v1/cache' }));
  });

  test('steps back behind a token in a header, whoever asks', async () => {
    const other = await Person.signUp(weir.url);
    const me = (headers: readonly string[]) => withCookie({ path: '/v1/users/me', headers });
    assert.equal((await me([...bearer(other.token), 'sec-fetch-site', 'cross-site'])).json.id, other.id);
    assert.equal((await me([...bearer('nonsense'), ...samePage])).status, 401);
    assert.equal((await me(['authorization', 'Basic YTpi', ...samePage])).json.id, person.id);
  });

  test('is none on calls to models, nor on what asks like them', async () => {
    const body = { model: 'demo-1', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
    for (const path of ['/v1/messages', '/v1/chat/completions', '/v1/responses', '/v1/messages/count_tokens'])
      assert.equal((await withCookie({ path, body, headers: samePage })).status, 401);
    assert.equal((await withCookie({ path: '/v1/models', headers: samePage })).status, 401);
    assert.equal((await withCookie({ path: '/v1/pipeline', headers: samePage })).status, 401);
  });

  test('that is forged or there twice is none', async () => {
    const me = (value: string) =>
      call(weir.url, { path: '/v1/users/me', headers: ['cookie', value, ...samePage] });
    for (const value of [`${cookie}x`, 'weir_session=', 'weir_session=%', `other=1; my_${cookie}`])
      assertError(await me(value), { status: 401, type: 'authentication_error' });
    assert.equal((await me(`a=1; ${cookie}; ${cookie}`)).status, 200);
    assertError(await me(`${cookie}; weir_session=another`), {
      status: 400,
      type: 'invalid_request',
      code: 'credentials_disagree',
    });
  });

  test('goes when its session is logged out', async () => {
    const own = cookieOf(await logIn(person.email, askCookie));
    const headers = ['cookie', own, ...samePage];
    const out = await call(weir.url, { method: 'POST', path: '/v1/users/logout', headers });
    assert.equal(out.status, 204);
    assert.match(String(out.headers['set-cookie']), /^weir_session=; HttpOnly; .*; Max-Age=0$/);
    assert.equal((await call(weir.url, { path: '/v1/users/me', headers })).status, 401);
  });
});

test('the cookie is for https alone where the gateway is reached by it, and pages are known by that address', async (t) => {
  const weir = await startTestGateway({ WEIR_MODE: 'cloud', WEIR_BASE_URL: 'https://weir.example.com' });
  t.after(() => weir.close());
  const body = { email: 'ada@example.com', password };
  const answer = await call(weir.url, { path: '/v1/users/signup', body, headers: askCookie });
  assert.match(
    String(answer.headers['set-cookie']),
    /^__Host-weir_session=[^;]+; HttpOnly; SameSite=Strict; Path=\/; .*; Secure$/,
  );
  const me = (cookie: string) =>
    call(weir.url, { path: '/v1/users/me', headers: ['cookie', cookie, ...samePage] });
  const own = cookieOf(answer);
  const plain = own.replace('__Host-', '');
  assert.deepEqual((await me(plain)).status, 401, 'a neighbour can set the plain name');
  assert.deepEqual((await me(`${own}; weir_session=planted`)).status, 200);
  assertError(await me(`${own}; __Host-weir_session=another`), { status: 400, type: 'invalid_request' });
  const from = (origin: string, headers: readonly string[] = []) =>
    call(weir.url, {
      path: '/v1/keys',
      body: {},
      headers: ['cookie', cookieOf(answer), 'origin', origin, ...headers],
    });
  assert.equal((await from('https://weir.example.com')).status, 201);
  assert.equal((await from('https://other.example.com', ['host', 'other.example.com'])).status, 201);
  assertCrossSite(await from('http://weir.example.com'));
  assertCrossSite(await from('https://example.com'));
});

describe('a local gateway with a token', () => {
  const token = 'open; sesame=ü';
  let weir: TestGateway;
  before(async () => {
    weir = await startTestGateway({ WEIR_LOCAL_TOKEN: token });
  });
  after(() => weir.close());
  const path = '/v1/local/session';
  const enter = (sent: string) => call(weir.url, { path, body: { token: sent }, headers: samePage });

  test('asks a browser for it once', async () => {
    assert.deepEqual((await call(weir.url, { path })).json, { required: true, open: false });
    assertError(await enter('another'), { status: 401, type: 'authentication_error', code: 'wrong_login' });
    const entered = await enter(token);
    assert.equal(entered.status, 204);
    const headers = ['cookie', cookieOf(entered), ...samePage];
    assert.deepEqual((await call(weir.url, { path, headers })).json, { required: true, open: true });
    assert.equal((await call(weir.url, { path: '/v1/requests', headers })).status, 200);
    assert.equal((await call(weir.url, { path: '/v1/requests' })).status, 401);
    const left = await call(weir.url, { method: 'DELETE', path, headers });
    assert.match(String(left.headers['set-cookie']), /^weir_session=; .*Max-Age=0$/);
  });

  test('takes the cookie from its own pages only, also for a call to a model', async () => {
    const cookie = ['cookie', cookieOf(await enter(token))];
    const forget = (headers: readonly string[]) =>
      call(weir.url, { method: 'DELETE', path: '/v1/cache', headers: [...cookie, ...headers] });
    assert.equal((await forget(samePage)).status, 204);
    assertCrossSite(await forget([]));
    assertCrossSite(await forget(['sec-fetch-site', 'cross-site']));
    const body = { model: 'demo-1', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
    const ask = (headers: readonly string[]) => call(weir.url, { path: '/v1/messages', body, headers });
    assert.equal((await ask([...cookie, ...samePage])).status, 200);
    assert.equal((await ask(samePage)).status, 401);
    assertError(await ask([...cookie, 'sec-fetch-site', 'same-site']), {
      ...{ status: 403, type: 'permission_error', code: 'cross_site' },
    });
    const wrong = ['authorization', 'Bearer another', ...cookie, ...samePage];
    assert.equal((await ask(wrong)).status, 401);
  });
});

function cookieOf({ headers }: RawAnswer): string {
  const [cookie] = headers['set-cookie'] ?? [];
  assert.ok(cookie);
  return cookie.slice(0, cookie.indexOf(';'));
}

function assertCrossSite(answer: RawAnswer): void {
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assertError(answer, { status: 403, type: 'permission_error', code: 'cross_site' });
}
