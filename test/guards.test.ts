import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { readSettings, SettingsError } from '../src/gateway/settings.ts';
import { limits } from '../src/kernel/limits.ts';
import { isJsonObject } from '../src/lib/json.ts';
import { at } from './support/at.ts';
import { call, openCall, type RawAnswer, type RawRequest, StreamReader } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import {
  errorCodeIn,
  formatAt,
  formats,
  framings,
  messages,
  pathOf,
  requestIn,
  requestSentIn,
  streamIn,
  type TestedFormat,
} from './support/formats.ts';
import { rawConnection } from './support/raw-connection.ts';
import { shareScriptedGateways, startGatewayFor } from './support/scripted-gateway.ts';
import { listening, startServer } from './support/server.ts';

const enter = shareScriptedGateways();
const foreignHosts = [
  'evil.example',
  'evil.example:3099',
  '127.0.0.1.evil.example',
  'localhost.evil.example:3099',
  '192.168.1.5:3099',
  '[::2]:3099',
  '',
];

for (const host of foreignHosts)
  test(`a Host "${host}" is refused with 421 and reaches no provider`, async () => {
    const { fake, weir } = await enter();
    const answer = await call(weir.url, callIn(messages, ['host', host]));
    assertError(answer, { status: 421, code: 'wrong_host', type: messages.errorTypes[421] });
    assert.equal(fake.requests.length, 0);
  });

for (const host of ['localhost', 'LocalHost:1', '127.0.0.1', '127.0.0.1:80', '127.8.9.10:3099', '[::1]:3099'])
  test(`a Host "${host}" is this machine`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith({ body: messages.whole('Hello') });
    const answer = await call(weir.url, callIn(messages, ['host', host]));
    assert.equal(answer.status, 200);
  });

for (const host of [
  'localhost:@evil',
  'localhost:80@evil',
  'evil.example:127.0.0.1',
  'localhost, evil',
  'a b',
])
  test(`a Host "${host}" is no host and port, and is refused with 400`, async () => {
    const { fake, weir } = await enter();
    for (const path of [messages.path, '/health']) {
      const answer = await call(weir.url, { ...callIn(messages, ['host', host]), path });
      assert.equal(answer.status, 400);
      assert.equal(errorCodeIn(answer.json), 'invalid_request');
    }
    assert.equal(fake.requests.length, 0);
  });

for (const second of ['localhost', 'evil.example', ''])
  test(`a second Host "${second}" is refused with 400`, async () => {
    const { weir } = await enter();
    const lines = `GET /health HTTP/1.1\r\nhost: localhost\r\nHost: ${second}\r\n\r\n`;
    assertRawError(await rawCall(weir.url, lines), 400, 'invalid_request');
  });

test('an absolute target is for whom it names, and not for its Host', async () => {
  const { weir } = await enter();
  const asked = (target: string) => rawCall(weir.url, `GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  for (const target of ['http://localhost/health', 'HTTP://127.0.0.1:80/health?a', 'http://localhost'])
    assert.match(await asked(target), /^HTTP\/1\.1 200 /, target);
  for (const target of ['http://evil/health', 'http://evil.example:3099/v1/pipeline', 'https://evil'])
    assertRawError(await asked(target), 421, 'wrong_host');
  for (const target of ['http://localhost@evil/health', 'http://localhost:80:@evil/health'])
    assertRawError(await asked(target), 400, 'invalid_request');
  const foreign = 'GET http://localhost/v1/pipeline HTTP/1.1\r\nhost: evil.example\r\n\r\n';
  assertRawError(await rawCall(weir.url, foreign), 421, 'wrong_host');
});

test('where any Host is answered, of an absolute target the path counts', async () => {
  const { weir } = await enter({ WEIR_MODE: 'cloud' });
  const asked = (target: string) => rawCall(weir.url, `GET ${target} HTTP/1.1\r\nhost: any\r\n\r\n`);
  assert.match(await asked('http://whoever.example/v1/capabilities'), /^HTTP\/1\.1 200 /);
  assertRawError(await asked('http://whoever.example/v1/users/me'), 401, 'authentication_required');
  assertRawError(await asked('http://who@ever/v1/capabilities'), 400, 'invalid_request');
});

test('a path with escaped letters is the path, for guards and for routes', async () => {
  const { fake, weir } = await enter();
  for (const format of formats) {
    fake.answerWith({ body: format.whole('Hello') });
    const path = format.path.replace('m', '%6d').replace('e', '%65');
    const answer = await call(weir.url, { ...callIn(format, []), path });
    assert.equal(answer.status, 200, path);
    assert.equal(fake.last.url, format.path);
  }
  const probe = { path: '/%68ealth', headers: ['host', '10.1.2.3:3099'] };
  assert.equal((await call(weir.url, probe)).status, 200);
  fake.requests.length = 0;
  for (const path of ['/v1%2Fmessages', '/v1/%256dessages', '/v1/messages%00', '/v1/%6dessages%zz'])
    assert.equal((await call(weir.url, { ...callIn(messages, []), path })).status, 404, path);
  for (const path of ['/v1/guardrails/rules/%00', '/v1/configurations/a/b%00', '/v1/requests/%00'])
    assert.equal((await call(weir.url, { method: 'DELETE', path })).status, 404, path);
  const cut = await rawCall(weir.url, 'GET /health#x HTTP/1.1\r\nhost: localhost\r\n\r\n');
  assertRawError(cut, 400, 'invalid_request');
  assert.equal(fake.requests.length, 0);
});

test('a Host that the operator allowed is answered, whatever its port', async () => {
  const { fake, weir } = await enter({ WEIR_ALLOWED_HOSTS: 'Weir.Internal, gateway' });
  fake.answerWith({ body: messages.whole('Hello') });
  for (const host of ['weir.internal', 'WEIR.internal:8080', 'gateway:3099', 'localhost'])
    assert.equal((await call(weir.url, callIn(messages, ['host', host]))).status, 200, host);
  assert.equal((await call(weir.url, callIn(messages, ['host', 'other.internal']))).status, 421);
});

test('a page whose name was bound anew to this machine is refused, same origin or not', async () => {
  const { fake, weir } = await enter();
  const { port } = new URL(weir.url);
  const page = `evil.example:${port}`;
  const headers = ['host', page, 'origin', `http://${page}`, 'sec-fetch-site', 'same-origin'];
  assertError(await call(weir.url, callIn(messages, headers)), {
    status: 421,
    code: 'wrong_host',
    type: messages.errorTypes[421],
  });
  assert.equal(fake.requests.length, 0);
});

for (const headers of [
  ['origin', 'https://evil.example'],
  ['origin', 'null'],
  ['origin', 'http://localhost:5173'],
  ['origin', 'http://127.0.0.1.evil.example'],
  ['origin', 'https://evil.example', 'sec-fetch-site', 'cross-site'],
  ['sec-fetch-site', 'cross-site'],
  ['sec-fetch-site', 'same-site'],
])
  test(`a page of another site is refused with 403 (${headers.join(' ')})`, async () => {
    const { fake, weir } = await enter();
    const answer = await call(weir.url, callIn(messages, headers));
    assertError(answer, { status: 403, code: 'cross_site', type: messages.errorTypes[403] });
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
    assert.equal(fake.requests.length, 0);
  });

test("a page of the gateway's own, and a client that is no page, may call", async () => {
  const { fake, weir } = await enter();
  fake.answerWith({ body: messages.whole('Hello') });
  for (const headers of [
    ['origin', weir.url],
    ['origin', weir.url, 'sec-fetch-site', 'same-origin'],
    ['sec-fetch-site', 'same-origin'],
    ['sec-fetch-site', 'none'],
    [],
  ])
    assert.equal((await call(weir.url, callIn(messages, headers))).status, 200, headers.join(' '));
});

test('a page that the operator allowed may call and read what it needs', async () => {
  const { fake, weir } = await enter({
    WEIR_CORS_ORIGINS: 'https://app.example, http://x.test:8080',
  });
  const headers = ['origin', 'https://app.example', 'sec-fetch-site', 'cross-site'];
  fake.answerWith({ body: messages.whole('Hello'), headers: { 'access-control-allow-origin': '*' } });
  assertReadable(await call(weir.url, callIn(messages, headers)), 200);
  fake.answerWith({ chunks: [streamIn(messages, 'Hello')] });
  assertReadable(await call(weir.url, callIn(messages, headers, true)), 200);
  fake.answerWith({ status: 429, body: {} });
  assertReadable(await call(weir.url, callIn(messages, headers)), 429);
  assertReadable(await call(weir.url, { path: messages.path, headers, body: 'no JSON' }), 400);
  const elsewhere = ['origin', 'https://app.example.evil.example'];
  assert.equal((await call(weir.url, callIn(messages, elsewhere))).status, 403);
});

test('a browser that asks before it calls is told what it may send', async () => {
  const { fake, weir } = await enter({ WEIR_CORS_ORIGINS: 'https://app.example' });
  const ask = [
    ...['access-control-request-method', 'POST', 'sec-fetch-site', 'cross-site'],
    ...['access-control-request-headers', 'x-api-key,anthropic-version,x-stainless-os'],
  ];
  for (const { path, errorTypes } of formats) {
    const preflight = { method: 'OPTIONS', path };
    const yes = await call(weir.url, { ...preflight, headers: ['origin', 'https://app.example', ...ask] });
    assert.equal(yes.status, 204);
    assert.equal(yes.headers['access-control-allow-origin'], 'https://app.example');
    assert.match(yes.headers['access-control-allow-methods'] ?? '', /\bPOST\b/);
    assert.equal(yes.headers['access-control-allow-headers'], 'x-api-key,anthropic-version,x-stainless-os');
    assert.match(String(yes.headers.vary), /origin/i);
    assertRequestId(yes);
    const no = await call(weir.url, { ...preflight, headers: ['origin', 'https://evil.example', ...ask] });
    assertError(no, { status: 403, code: 'cross_site', type: errorTypes[403] });
    assert.equal(no.headers['access-control-allow-origin'], undefined);
  }
  assert.equal(fake.requests.length, 0);
});

test('a call that comes back to the gateway by way of another ends with 508', async (t) => {
  const road = await startRoad(t);
  const second = await startGatewayFor(t, road.url);
  const first = await startGatewayFor(t, second.url);
  road.leadTo(first.url);
  for (const { format, streamed, manner } of framings) {
    const before = road.travelled();
    const answer = await call(first.url, callIn(format, [], streamed));
    assert.equal(answer.status, 508, manner);
    assert.equal(errorCodeIn(answer.json), 'loop_detected');
    assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[508]);
    assert.equal(road.travelled(), before + 1, manner);
  }
});

for (const { what, body, code, param } of badBodies(messages))
  test(`a body that ${what} is refused with 400`, async () => {
    const { fake, weir } = await enter();
    const answer = await call(weir.url, { path: messages.path, body });
    assertError(answer, {
      status: 400,
      code,
      type: messages.errorTypes[400],
      ...(param !== undefined && { param }),
    });
    assert.equal(fake.requests.length, 0);
  });

test('a body as deep as is allowed goes through', async () => {
  const { fake, weir } = await enter();
  fake.answerWith({ body: messages.whole('Hello') });
  const body = nested(messages, limits.jsonDepthMax);
  assert.equal((await call(weir.url, { path: messages.path, body })).status, 200);
  assert.equal(fake.last.bytes.toString(), body);
});

for (const format of formats)
  test(`what is refused is refused in the client's own words (${format.name})`, async () => {
    const { path, errorTypes } = format;
    const { fake, weir } = await enter();
    const wrongHost = await call(weir.url, callIn(format, ['host', 'evil.example']));
    assertError(wrongHost, { status: 421, code: 'wrong_host', type: errorTypes[421] });
    const crossSite = await call(weir.url, callIn(format, ['sec-fetch-site', 'cross-site']));
    assertError(crossSite, { status: 403, code: 'cross_site', type: errorTypes[403] });
    const noJson = await call(weir.url, { path, body: 'no JSON' });
    assertError(noJson, { status: 400, code: 'invalid_json', type: errorTypes[400] });
    const isInPath = path.includes(format.model);
    const fields = isInPath ? [] : badBodies(format).filter(({ param }) => param !== undefined);
    for (const { body, code, param } of fields)
      assertError(await call(weir.url, { path, body }), {
        status: 400,
        code,
        type: errorTypes[400],
        ...(param !== undefined && { param }),
      });
    const disagreeing = ['authorization', 'Bearer gw_live_one', 'x-api-key', 'gw_live_two'];
    const disagreed = await call(weir.url, callIn(format, disagreeing));
    assertError(disagreed, { status: 400, code: 'credentials_disagree', type: errorTypes[400] });
    const nobodys = { ...requestIn(format, false), model: 'no-such-model' };
    const unknown = await call(weir.url, { path: path.replace(format.model, nobodys.model), body: nobodys });
    assertError(unknown, { status: 404, code: 'model_not_found', type: errorTypes[404], param: 'model' });
    assert.match(unknown.text, /no-such-model/);
    const closed = await enter({ WEIR_LOCAL_TOKEN: 'open sesame' });
    const unasked = await call(closed.weir.url, { path, body: 'no JSON' });
    assertError(unasked, { status: 401, code: 'authentication_required', type: errorTypes[401] });
    assert.equal(fake.requests.length + closed.fake.requests.length, 0);
  });

test('a model name with control characters in a path is refused in the words of the format', async () => {
  const { weir, fake } = await enter();
  for (const verb of ['generateContent', 'streamGenerateContent', 'countTokens'])
    for (const name of ['gemini-2.5-flash%0d%0ax-evil:%201', 'gemini%00', 'openai/gpt%7F']) {
      const path = `/v1beta/models/${name}:${verb}`;
      const answer = await call(weir.url, { path, body: { contents: [{ parts: [{ text: 'Hello' }] }] } });
      assert.deepEqual([answer.status, at(answer.json, 'error', 'status')], [400, 'INVALID_ARGUMENT'], path);
    }
  const invalid = { status: 400, code: 'invalid_request', type: 'invalid_request_error', param: 'model' };
  for (const headers of [[], ['anthropic-version', '2023-06-01']])
    assertError(await call(weir.url, { path: '/v1/models/gpt-5%0d%0ax', headers }), invalid);
  assert.equal(fake.requests.length, 0);
});

test('a model name with half of a surrogate pair is refused, since no path could carry it', async () => {
  const { weir, fake } = await enter();
  const invalid = { status: 400, code: 'invalid_request', type: 'invalid_request_error', param: 'model' };
  for (const path of ['/v1/messages', '/v1/chat/completions', '/v1/responses', '/v1/messages/count_tokens'])
    for (const model of ['gemini-2.5-flash\ud83c', 'bedrock/\udc00', 'gpt-5\ud800'])
      assertError(await call(weir.url, { path, body: { model, messages: [] } }), invalid);
  assert.equal(fake.requests.length, 0);
});

test('two gateway tokens that disagree are refused with 400', async () => {
  const { fake, weir } = await enter();
  fake.answerWith({ body: messages.whole('Hello') });
  for (const [bearer, key] of [
    ['gw_live_one', 'gw_live_two'],
    ['anon_one', 'anon_two'],
    ['anything', 'gw_live_two'],
  ] as const) {
    const headers = ['authorization', `Bearer ${bearer}`, 'x-api-key', key];
    const answer = await call(weir.url, callIn(messages, headers));
    assertError(answer, { status: 400, code: 'credentials_disagree', type: messages.errorTypes[400] });
    assert.equal(answer.text.includes(bearer) || answer.text.includes(key), false, 'they are not repeated');
  }
  const twice = ['authorization', 'Bearer gw_live_one', 'Authorization', 'Bearer gw_live_two'];
  const answer = await call(weir.url, callIn(messages, twice));
  assertError(answer, { status: 400, code: 'credentials_disagree', type: messages.errorTypes[400] });
  assert.equal(fake.requests.length, 0);
  const agreeing = ['authorization', 'Bearer gw_live_one', 'x-api-key', 'gw_live_one'];
  assert.equal((await call(weir.url, callIn(messages, agreeing))).status, 200);
});

test('a token that was set is asked for before the body is looked at', async () => {
  const { fake, weir } = await enter({ WEIR_LOCAL_TOKEN: 'open sesame' });
  fake.answerWith({ body: messages.whole('Hello') });
  for (const headers of [[], ['authorization', 'Bearer wrong'], ['x-api-key', 'gw_live_wrong']])
    assertError(await call(weir.url, { path: messages.path, headers, body: 'no JSON' }), {
      status: 401,
      code: 'authentication_required',
      type: messages.errorTypes[401],
    });
  assert.equal(fake.requests.length, 0);
  for (const headers of [
    ['authorization', 'Bearer open sesame'],
    ['x-api-key', 'open sesame'],
  ])
    assert.equal((await call(weir.url, callIn(messages, headers))).status, 200);
});

test('streams that are open when the gateway stops are finished, and nobody new gets in', async (t) => {
  const { promise: goOn, resolve: letGoOn } = Promise.withResolvers<void>();
  const upstream = await startServer(t, async ({ url }, res) => {
    const sent = streamIn(formatAt(url), 'one', 'two');
    const cut = sent.indexOf('two');
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(sent.slice(0, cut));
    await goOn;
    res.end(sent.slice(cut));
  });
  const weir = await startGatewayFor(t, upstream);
  const guests = await Promise.all(
    formats.map(async (format) => {
      const { response } = openCall(weir.url, callIn(format, [], true));
      const reader = new StreamReader(await response);
      const raw = rawConnection(t, weir.url);
      raw.send(rawRequest(format, true));
      await eventually(() => (raw.text().includes('one') ? true : undefined));
      return { format, reader, raw };
    }),
  );

  const closed = weir.gateway.close(30_000);
  for (const { format, raw } of guests) raw.send(rawRequest(format, false));
  await assert.rejects(call(weir.url, { path: '/ready' }), { code: 'ECONNREFUSED' });
  for (const { reader } of guests) assert.equal(reader.ended, false);

  letGoOn();
  for (const { reader } of guests) await eventually(() => (reader.ended ? true : undefined));
  await closed;
  for (const { format, reader, raw } of guests) {
    assert.equal(reader.text, streamIn(format, 'one', 'two'));
    await eventually(() => (raw.ended() ? true : undefined));
    assert.match(raw.text(), /^HTTP\/1\.1 200 .*one.*two/s);
    const late = raw.text().slice(raw.text().lastIndexOf('HTTP/1.1 '));
    assert.match(late, /^HTTP\/1\.1 503 /);
    assert.match(late, /\r\nretry-after: 1\r\n/);
    assert.match(late, /\r\nconnection: close\r\n/);
    assertRawEnvelope(late, /\r\nx-request-id: (\S+)/.exec(late)?.[1] ?? '');
    assert.match(late, new RegExp(`"type":"${format.errorTypes[503]}"`));
    assert.match(late, /"(code|reason)":"draining"/i);
  }
});

test('streams that do not end in the time given are cut when the gateway stops', async (t) => {
  const left: Promise<unknown>[] = [];
  const upstream = await startServer(t, ({ url }, res) => {
    const { start, content } = formatAt(url);
    left.push(new Promise((resolve) => res.on('close', resolve)));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(start.join('') + content('one'));
  });
  const weir = await startGatewayFor(t, upstream);
  const answers = await Promise.all(
    formats.map(async (format) => {
      const answer = await openCall(weir.url, callIn(format, [], true)).response;
      answer.on('error', () => undefined);
      await once(answer, 'data');
      return answer;
    }),
  );
  await weir.gateway.close(10);
  assert.equal(left.length, formats.length);
  await Promise.all(left);
  for (const answer of answers) await eventually(() => (answer.destroyed ? true : undefined));
});

test('probes are answered to any Host', async () => {
  const { weir } = await enter();
  for (const path of ['/health', '/ready', '/health?from=probe']) {
    const answer = await call(weir.url, { path, headers: ['host', '10.1.2.3:3099'] });
    assert.equal(answer.status, 200, path);
    assertRequestId(answer);
  }
  for (const path of ['/', '/v1/pipeline', '/metrics', '/openapi.json', '/healthy']) {
    const answer = await call(weir.url, { path, headers: ['host', '10.1.2.3:3099'] });
    assertError(answer, { status: 421, code: 'wrong_host', type: 'invalid_request' });
  }
});

test('a page of another site gets nothing of the own routes either', async () => {
  const { weir } = await enter();
  for (const path of ['/v1/pipeline', '/metrics', '/v1/catalog', '/health']) {
    const answer = await call(weir.url, { path, headers: ['origin', 'https://evil.example'] });
    assertError(answer, { status: 403, code: 'cross_site', type: 'permission_error' });
  }
});

test('settings refuse an upstream that is this gateway', () => {
  const here: readonly Record<string, string>[] = [
    { PORT: '4000', WEIR_ANTHROPIC_BASE_URL: 'http://localhost:4000' },
    { PORT: '4000', WEIR_ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000/' },
    { PORT: '4000', WEIR_ANTHROPIC_BASE_URL: 'http://[::1]:4000' },
    { WEIR_ANTHROPIC_BASE_URL: 'http://localhost:3099/v1' },
    { PORT: '80', WEIR_ANTHROPIC_BASE_URL: 'http://localhost' },
    { HOST: 'weir.internal', PORT: '4000', WEIR_ANTHROPIC_BASE_URL: 'http://Weir.Internal:4000' },
    { WEIR_BASE_URL: 'https://weir.example', WEIR_ANTHROPIC_BASE_URL: 'https://weir.example/v1' },
  ];
  for (const environment of here)
    assert.throws(
      () => readSettings(environment),
      (thrown) =>
        thrown instanceof SettingsError &&
        thrown.faults.length === 1 &&
        /^WEIR_ANTHROPIC_BASE_URL: .*this gateway/.test(thrown.message),
      JSON.stringify(environment),
    );
  readSettings({ PORT: '4000', WEIR_ANTHROPIC_BASE_URL: 'http://localhost:4001' });
});

test('an unknown route is a 404, whatever the method', async () => {
  const { weir } = await enter();
  for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND'])
    for (const path of ['/nope', '/v1', '/v1/messages/nothing', '//v1/messages', '/%zz', '/v1/keys/%zz']) {
      const answer = await call(weir.url, { method, path, ...(method === 'POST' && { body: { a: 1 } }) });
      assertError(answer, { status: 404, code: 'not_found', type: 'not_found' });
    }
});

test('a known path with another method is a 405 that says which ones there are', async () => {
  const { weir } = await enter();
  for (const [path, allow, type] of [
    ['/v1/messages', 'POST', 'invalid_request_error'],
    ['/v1/messages?beta=true', 'POST', 'invalid_request_error'],
    ['/v1/chat/completions', 'POST', 'invalid_request_error'],
    ['/health', 'GET', 'invalid_request'],
    ['/v1/pipeline', 'GET', 'invalid_request'],
  ] as const)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']) {
      const answer = await call(weir.url, { method, path });
      assertError(answer, { status: 405, code: 'method_not_allowed', type });
      assert.equal(answer.headers.allow, allow, `${method} ${path}`);
    }
  assert.equal((await call(weir.url, { method: 'GET', path: '/v1/messages' })).status, 405);
  assert.equal((await call(weir.url, { method: 'POST', path: '/health', body: {} })).status, 405);
});

test('HEAD is answered like GET, without a body', async () => {
  const { weir } = await enter();
  for (const [path, status] of [
    ['/', 200],
    ['/api/hello', 200],
    ['/health', 200],
    ['/nope', 404],
    ['/v1/messages', 405],
  ] as const) {
    const answer = await call(weir.url, { method: 'HEAD', path });
    assert.equal(answer.status, status, path);
    assert.equal(answer.bytes.byteLength, 0);
    assertRequestId(answer);
  }
});

test('what belongs to accounts and billing is refused in local mode, with detail where there is one', async () => {
  const { weir } = await enter();
  const keys = await call(weir.url, { path: '/v1/keys' });
  assertError(keys, { status: 503, code: 'local_mode', type: 'permission_error' });
  const checkout = await call(weir.url, { path: '/v1/billing/checkout', body: {} });
  assertError(checkout, {
    status: 503,
    code: 'local_mode',
    type: 'permission_error',
    detail: 'billing_local_mode',
  });
});

test('every answer has a request id of its own, also to what is hardly HTTP', async () => {
  const { fake, weir } = await enter();
  fake.answerWith({ status: 500, body: { error: {} } });
  const ids = new Set<string>();
  for (const sent of [
    { path: '/' },
    { path: '/health' },
    { path: '/ready' },
    { path: '/metrics' },
    { path: '/openapi.json' },
    { path: '/v1/catalog' },
    { path: '/v1/capabilities' },
    { path: '/v1/pipeline' },
    { path: '/v1/keys' },
    { path: `/v1/keys/${'x'.repeat(500)}` },
    { path: '/v1/keys/%zz' },
    { path: '/v1/billing/balance' },
    { path: '/nope' },
    { path: '*', method: 'OPTIONS' },
    { path: '/v1/messages', method: 'OPTIONS' },
    { path: '/v1/messages', body: 'no JSON' },
    ...formats.map((format) => callIn(format, [])),
  ]) {
    const answer = await call(weir.url, sent);
    assertRequestId(answer);
    ids.add(String(answer.headers['x-request-id']));
  }
  for (const [status, text] of [
    [400, 'this is no HTTP\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nhost: localhost\r\nbad header\r\n\r\n'],
    [400, 'POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n'],
    [400, 'GET /v1/pipeline HTTP/1.1\r\n\r\n'],
    [400, 'GET /health HTTP/1.1\r\n\r\n'],
    [400, 'GET http://localhost/health HTTP/1.1\r\n\r\n'],
    [400, 'GET /health HTTP/1.1\r\nhost: localhost\r\nHost: localhost\r\n\r\n'],
    [421, 'GET /v1/pipeline HTTP/1.0\r\n\r\n'],
    [431, `GET / HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(3000)}\r\n`],
    [200, 'GET /health HTTP/1.0\r\n\r\n'],
    [431, `GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(64 * 1024)}\r\n\r\n`],
  ] as const) {
    const answer = await rawCall(weir.url, text);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), text.slice(0, 80));
    const id = /\r\nx-request-id: (req_[0-9a-f]{32})\r\n/.exec(answer)?.[1] ?? '';
    assert.notEqual(id, '', text.slice(0, 80));
    if (status >= 400) assertRawEnvelope(answer, id);
    ids.add(id);
  }
  assert.equal(ids.size, 27 + formats.length);
});

test('a connection is still good after a request that was refused', async (t) => {
  const { weir } = await enter();
  const raw = rawConnection(t, weir.url);
  const answers = () => raw.text().split('HTTP/1.1 ').length - 1;
  for (let round = 1; round <= 3; round++) {
    raw.send('GET /nope HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await eventually(() => (answers() === round ? true : undefined));
  }
  assert.doesNotMatch(raw.text(), /connection: close/i);
});

test('garbage after an answer ends the connection and is no part of it', async (t) => {
  const { weir } = await enter();
  const raw = rawConnection(t, weir.url);
  raw.send('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await eventually(() => (raw.text().endsWith('}') ? true : undefined));
  const before = raw.text();
  raw.send('this is no HTTP\r\n\r\n');
  await eventually(() => (raw.ended() ? true : undefined));
  assert.equal(raw.text(), before);
});

test('a slash at the end of a path makes no difference', async () => {
  const { fake, weir } = await enter();
  for (const format of formats) {
    fake.answerWith({ body: format.whole('Hello') });
    const answer = await call(weir.url, { ...callIn(format, []), path: `${format.path}/?beta=true` });
    assert.equal(answer.status, 200);
    assert.equal(fake.last.url, `${format.path}?beta=true`);
  }
  assert.equal((await call(weir.url, { path: '/health/' })).status, 200);
});

function callIn(format: TestedFormat, headers: readonly string[], streamed = false): RawRequest {
  return { ...requestSentIn(format, streamed), headers };
}

interface BadBody {
  readonly what: string;
  readonly body: string | Uint8Array;
  readonly code: string;
  readonly param?: string;
}

function badBodies(format: TestedFormat): readonly BadBody[] {
  const good = JSON.stringify(requestIn(format, false));
  const code = 'invalid_json';
  return [
    { what: 'is not JSON', body: 'model=x', code },
    { what: 'is empty', body: '', code },
    { what: 'is cut short', body: good.slice(0, -1), code },
    { what: 'has something behind its end', body: `${good}{}`, code },
    { what: 'is no object', body: `[${good}]`, code },
    { what: 'has a key twice', body: good.replace('{', '{"model":"x",'), code },
    { what: 'has a key twice, written in two ways', body: good.replace('{', '{"\\u006dodel":"x",'), code },
    { what: 'is nested too deep', body: nested(format, limits.jsonDepthMax + 1), code },
    { what: 'is nested without end', body: '['.repeat(1_000_000), code },
    { what: 'is not UTF-8', body: Buffer.from(good.replace('Hello', 'caf\u00e9'), 'latin1'), code },
    {
      what: 'names no model',
      body: good.replace('"model"', '"Model"'),
      code: 'invalid_request',
      param: 'model',
    },
    {
      what: 'asks for a stream in its own way',
      body: good.replace('"stream":false', '"stream":"yes"'),
      code: 'invalid_request',
      param: 'stream',
    },
  ];
}

/** A good request whose deepest value stands this deep. */
function nested(format: TestedFormat, depth: number): string {
  const field = `${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`;
  return JSON.stringify(requestIn(format, false)).replace('{', `{"x_deep":${field},`);
}

interface Expected {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param?: string;
  readonly detail?: string;
}

/** The envelope, the whole envelope and nothing but the envelope. */
function assertError(answer: RawAnswer, { status, code, type, param, detail }: Expected): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assertRequestId(answer);
  const id = answer.headers['x-request-id'];
  assert.equal(answer.headers['request-id'], id);
  const message = at(answer.json, 'error', 'message');
  assert.ok(typeof message === 'string' && message.length > 10, answer.text);
  const error = { type, message, code, param: param ?? null, ...(detail !== undefined && { detail }) };
  const expected = /[a-z]/.test(type) ? error : { ...error, ...googlesOwn({ status, code, type }) };
  assert.deepEqual(answer.json, { type: 'error', error: expected, request_id: id });
}

/** What Google's clients read instead. */
function googlesOwn({ status, code, type }: Expected): object {
  const reason = code.toUpperCase();
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'weir' }];
  return { code: status, status: type, details };
}

function assertRequestId({ headers }: RawAnswer): void {
  assert.match(String(headers['x-request-id']), /^req_[0-9a-f]{32}$/);
}

function assertRawEnvelope(answer: string, id: string): void {
  const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  assert.ok(isJsonObject(body) && isJsonObject(body.error), answer);
  assert.deepEqual(Object.keys(body), ['type', 'error', 'request_id']);
  const names = body.error.details === undefined ? [] : ['details', 'status'];
  assert.deepEqual(
    Object.keys(body.error).toSorted(),
    ['code', ...names, 'message', 'param', 'type'].toSorted(),
  );
  assert.equal(body.request_id, id);
}

function assertRawError(answer: string, status: number, code: string): void {
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
  assert.equal(at(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))), 'error', 'code'), code);
}

function assertReadable(answer: RawAnswer, status: number): void {
  assert.equal(answer.status, status);
  assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example');
  assert.match(String(answer.headers.vary), /origin/i);
  const exposed = (answer.headers['access-control-expose-headers'] ?? '').split(/, */);
  // Those that SDKs decide by, ours, and with the last what providers and modules tell besides.
  for (const name of [
    'x-request-id',
    'request-id',
    'retry-after',
    'x-should-retry',
    'x-weir-modules',
    'x-weir-cache',
    'x-weir-cost-usd',
    'x-weir-dropped',
    'x-weir-receipt',
    '*',
  ])
    assert.ok(exposed.includes(name), name);
}

/** A road whose end is chosen after it was built: bytes in, bytes out. */
async function startRoad(t: TestContext) {
  let end: URL | undefined;
  let travelled = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(end?.port), '127.0.0.1');
    for (const one of [socket, onward]) sockets.add(one.on('error', () => undefined));
    socket.on('data', (bytes) => {
      travelled += bytes.toString('latin1').split(' HTTP/1.1\r\n').length - 1;
    });
    socket.pipe(onward).pipe(socket);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = await listening(server);
  return {
    url,
    leadTo(address: string) {
      end = new URL(address);
    },
    travelled: () => travelled,
  };
}

function rawRequest(format: TestedFormat, streamed: boolean): string {
  const body = JSON.stringify(requestIn(format, streamed));
  return `POST ${pathOf(format, streamed)} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

async function rawCall(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const answer = whole(socket);
  socket.end(text);
  return answer;
}

async function whole(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket.setEncoding('utf8')) text += piece;
  return text;
}
