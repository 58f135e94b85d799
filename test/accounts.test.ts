import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { limits } from '../src/accounts/limits.ts';
import { assertError } from './support/assert-error.ts';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer, type RawRequest, readAnswer, startCall } from './support/call.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { emptyFolder } from './support/weir-process.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const packings = [
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('signing up', () => {
  test('gives a session token and the account', async (t) => {
    const { url } = await startCloud(t);
    const answer = await signUp(url, { email: '  Ada@Example.com ', password });
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.json), ['token', 'expiresAt', 'user']);
    const user = fieldsOf(answer.json.user);
    assert.deepEqual(Object.keys(user), ['id', 'email', 'tier', 'createdAt']);
    assert.match(String(user.id), uuid);
    assert.equal(user.email, 'Ada@Example.com');
    assert.equal(user.tier, 'free');
    assert.match(String(user.createdAt), timestamp);
    assert.match(String(answer.json.expiresAt), timestamp);
    const days = (Date.parse(String(answer.json.expiresAt)) - Date.now()) / 86_400_000;
    assert.ok(days > 6.99 && days <= 7, String(days));
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.match(String(answer.headers['x-request-id']), /^req_/);
    assert.ok(!answer.text.includes('argon2'));
  });

  test('with an address that has an account is refused, in whatever case', async (t) => {
    const { url } = await startCloud(t);
    await Person.signUp(url, 'ada@example.com');
    const answer = await signUp(url, { email: 'ADA@example.COM', password });
    assertError(answer, { status: 409, type: 'invalid_request', code: 'email_taken', param: 'email' });
  });

  test('takes passwords of 8 to 256 characters, whatever they are made of', async (t) => {
    const { url } = await startCloud(t);
    for (const [at, fine] of ['12345678', '👩‍🚀🚀🚀🚀🚀🚀', ' '.repeat(8), '🔑'.repeat(256)].entries()) {
      const email = `person${at}@example.org`;
      assert.equal((await signUp(url, { email, password: fine })).status, 201, fine);
      assert.equal((await logIn(url, { email, password: fine })).status, 200, fine);
    }
    for (const wrong of ['', '1234567', '🔑'.repeat(7), 'x'.repeat(257), '🔑'.repeat(257)])
      assertError(await signUp(url, { email: 'eve@example.org', password: wrong }), {
        status: 400,
        type: 'invalid_request',
        param: 'password',
      });
  });

  const valid = { email: 'ada@example.com', password };
  const wrongBodies: readonly (readonly [string, RawRequest['body'], string | null])[] = [
    ['no body', undefined, null],
    ['an empty object', {}, 'email'],
    ['no password', { email: valid.email }, 'password'],
    ['an unknown field', { ...valid, admin: true }, 'admin'],
    [
      'an inherited name as a field',
      `{"email":"a@example.com","password":"${password}","__proto__":1}`,
      '__proto__',
    ],
    ['a number as address', { ...valid, email: 5 }, 'email'],
    ['null as address', { ...valid, email: null }, 'email'],
    ['an array as password', { ...valid, password: [password] }, 'password'],
    ['what is no address', { ...valid, email: 'ada' }, 'email'],
    ['an address with a header in it', { ...valid, email: 'ada@example.com\r\nbcc: x@example.com' }, 'email'],
    ['an address that is too long', { ...valid, email: `${'a'.repeat(250)}@example.com` }, 'email'],
    ['a NUL character', { ...valid, password: `${password}\0` }, 'password'],
    ['half of a surrogate pair', `{"email":"a@example.com","password":"longenough\\ud83d"}`, 'password'],
    ['a duplicate key', `{"email":"a@example.com","email":"b@example.com","password":"${password}"}`, null],
    ['an array', [valid], null],
    ['broken JSON', '{"email":', null],
    ['broken UTF-8', Buffer.from([...Buffer.from('{"email":"'), 0xff, ...Buffer.from('"}')]), null],
    ['deep JSON', `{"email":${'['.repeat(300)}${']'.repeat(300)}}`, null],
  ];
  test('with a wrong body is refused with 400, naming the field', async (t) => {
    const { url } = await startCloud(t);
    for (const [what, body, param] of wrongBodies)
      await t.test(what, async () => {
        const sent = body === undefined ? {} : { body };
        const answer = await call(url, { method: 'POST', path: '/v1/users/signup', ...sent });
        assertError(answer, { status: 400, type: 'invalid_request', param });
      });
  });

  test('with more than 64 KiB is refused with 413, packed or not', async (t) => {
    const { url } = await startCloud(t);
    const body = Buffer.from(JSON.stringify({ ...valid, password: 'x'.repeat(64 * 1024) }));
    assertError(await call(url, { path: '/v1/users/signup', body }), {
      status: 413,
      type: 'invalid_request',
    });
    for (const [encoding, compress] of packings) {
      const packed = compress(body);
      assert.ok(packed.byteLength < 1024, encoding);
      const headers = ['content-encoding', encoding];
      const answer = await call(url, { path: '/v1/users/signup', headers, body: packed });
      assertError(answer, { status: 413, type: 'invalid_request', code: 'body_too_large' });
    }
  });

  test('takes JSON only, by whatever JSON name, and by none', async (t) => {
    const { url } = await startCloud(t);
    const typed = (type: string) =>
      call(url, {
        path: '/v1/users/login',
        headers: ['content-type', type],
        body: { email: 'nobody@example.com', password },
      });
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/merge-patch+json',
    ])
      assert.equal((await typed(type)).status, 401, type);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])
      assertError(await typed(type), { status: 415, type: 'invalid_request' });
    const untyped = await fetch(`${url}/v1/users/login`, {
      method: 'POST',
      body: Buffer.from(JSON.stringify({ email: 'nobody@example.com', password })),
    });
    assert.equal(untyped.status, 401);
  });

  test('too often from one address is refused with 429 and a time to wait', async (t) => {
    const { url } = await startCloud(t);
    await Person.signUp(url, 'ada@example.com');
    const taken = { email: 'ada@example.com', password };
    for (let tries = 1; tries < limits.signUpsPerAddress.most; tries++)
      assert.equal((await signUp(url, taken)).status, 409);
    assertLimited(await signUp(url, taken));
  });
});

describe('an address that has used up its tries', () => {
  const tries = [
    ['/v1/users/signup', limits.signUpsPerAddress.most],
    ['/v1/users/login', limits.loginsPerAddress.most],
  ] as const;
  for (const [path, most] of tries)
    test(`is refused before its body is read, and what is wrong counts too (${path})`, async (t) => {
      const { url } = await startCloud(t);
      for (let count = 0; count < most; count++)
        assert.equal((await call(url, { path, body: '{' })).status, 400);
      const headers = ['content-length', '1000', 'content-type', 'application/json'];
      const { request, response } = startCall(url, { method: 'POST', path, headers });
      request.flushHeaders();
      assertLimited(await readAnswer(await response));
      request.destroy();
    });
});

describe('logging in', () => {
  test('gives a token that works beside the first one', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url, 'ada@example.com');
    const answer = await logIn(url, { email: ' ADA@example.com', password });
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json), ['token', 'expiresAt', 'user']);
    assert.equal(at(answer.json, 'user', 'id'), ada.id);
    assert.notEqual(answer.json.token, ada.token);
    for (const token of [ada.token, String(answer.json.token)])
      assert.deepEqual((await me(url, bearer(token))).json, answer.json.user);
  });

  test('with a wrong address and with a wrong password is the same refusal', async (t) => {
    const { url } = await startCloud(t);
    await Person.signUp(url, 'ada@example.com');
    const refusals = [
      await logIn(url, { email: 'ada@example.com', password: 'wrong' }),
      await logIn(url, { email: 'eve@example.com', password }),
      await logIn(url, { email: 'no address', password: '' }),
    ];
    for (const answer of refusals) {
      assertError(answer, { status: 401, type: 'authentication_error', code: 'wrong_login' });
      assert.deepEqual(answer.json.error, refusals[0]?.json.error);
    }
  });

  test('too often with a wrong password is refused with 429 and a time to wait', async (t) => {
    const { url } = await startCloud(t);
    await Person.signUp(url, 'ada@example.com');
    await Person.signUp(url, 'bob@example.com');
    const guess = { email: 'ada@example.com', password: 'wrong' };
    for (let tries = 0; tries < limits.loginsPerAccount.most; tries++)
      assert.equal((await logIn(url, guess)).status, 401);
    assertLimited(await logIn(url, guess));
    assertLimited(await logIn(url, { ...guess, password }));
    assert.equal((await logIn(url, { email: 'bob@example.com', password })).status, 200);
  });
});

describe('a session', () => {
  test('ends when it is logged out, and no other does', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url, 'ada@example.com');
    const other = await logIn(url, { email: 'ada@example.com', password });
    const answer = await ada.call({ method: 'POST', path: '/v1/users/logout' });
    assert.equal(answer.status, 204);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['content-length'], undefined);
    assertUnauthenticated(await me(url, bearer(ada.token)));
    assertUnauthenticated(await ada.call({ method: 'POST', path: '/v1/users/logout' }));
    assertUnauthenticated(await ada.call({ path: '/v1/keys' }));
    assert.equal((await me(url, bearer(String(other.json.token)))).status, 200);
  });

  test('is shown by its token and by nothing else', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { key } = await ada.makeKey();
    const stranger = await startCloud(t);
    const foreign = (await Person.signUp(stranger.url)).token;
    assert.equal((await me(url, ['authorization', `bearer  ${ada.token} `])).status, 200);
    for (const headers of [
      [],
      ['authorization', 'Bearer'],
      ['authorization', ada.token],
      ['authorization', `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`],
      ['x-api-key', ada.token],
      ['cookie', `token=${ada.token}`],
      bearer(`${ada.token}x`),
      bearer(ada.token.slice(0, -2)),
      bearer(key),
      bearer(foreign),
      bearer('x'.repeat(5000)),
    ])
      assertUnauthenticated(await me(url, headers));
    const disagreeing = await me(url, [...bearer(ada.token), ...bearer(foreign)]);
    assertError(disagreeing, { status: 400, type: 'invalid_request', code: 'credentials_disagree' });
  });

  test('and its account survive a restart, and a new secret while the old one is named', async (t) => {
    const environment = { WEIR_DATA_DIR: emptyFolder(t), WEIR_SECRET: 'first secret of thirty-two letters' };
    const first = await startCloud(t, environment);
    const ada = await Person.signUp(first.url, 'ada@example.com');
    await first.close();
    const second = await startCloud(t, environment);
    assert.equal((await me(second.url, bearer(ada.token))).status, 200);
    await second.close();
    const rotated = { ...environment, WEIR_SECRET: 'another secret of thirty-two letters' };
    const third = await startCloud(t, { ...rotated, WEIR_SECRET_PREVIOUS: environment.WEIR_SECRET });
    assert.equal((await me(third.url, bearer(ada.token))).status, 200);
    await third.close();
    const fourth = await startCloud(t, rotated);
    assertUnauthenticated(await me(fourth.url, bearer(ada.token)));
    assert.equal((await logIn(fourth.url, { email: 'ada@example.com', password })).status, 200);
  });
});

test('no password and no token stands in the log', async (t) => {
  const { url, logLines } = await startCloud(t);
  const ada = await Person.signUp(url);
  await logIn(url, { email: ada.email, password });
  await logIn(url, { email: ada.email, password: 'a wrong password' });
  await me(url, bearer(`${ada.token}x`));
  const log = logLines.join('');
  for (const secret of [password, 'a wrong password', ada.token]) assert.ok(!log.includes(secret));
});

function signUp(url: string, body: object): Promise<RawAnswer> {
  return call(url, { path: '/v1/users/signup', body });
}

function logIn(url: string, body: object): Promise<RawAnswer> {
  return call(url, { path: '/v1/users/login', body });
}

function me(url: string, headers: readonly string[]): Promise<RawAnswer> {
  return call(url, { path: '/v1/users/me', headers });
}

function assertUnauthenticated(answer: RawAnswer): void {
  assertError(answer, { status: 401, type: 'authentication_error' });
}

function assertLimited(answer: RawAnswer): void {
  assertError(answer, { status: 429, type: 'rate_limit_error', code: 'too_many_attempts' });
  const wait = answer.headers['retry-after'];
  if (wait !== undefined) {
    assert.match(String(wait), /^([1-9]|[1-5]\d|60)$/);
    return;
  }
  assert.equal(answer.headers['x-should-retry'], 'false');
  assert.ok(Date.parse(String(at(answer.json, 'error', 'resets_at'))) > Date.now());
}
