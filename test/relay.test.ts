import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { SeenRequest } from '../src/testing/fake-upstream.ts';
import { call, type RawAnswer } from './support/call.ts';
import {
  formats,
  framings,
  messages,
  pathOf,
  requestIn,
  requestSentIn,
  streamIn,
  type TestedFormat,
} from './support/formats.ts';
import {
  anthropicKey,
  geminiKey,
  openaiKey,
  shareGatewaysWithHandler,
  shareScriptedGateways,
} from './support/scripted-gateway.ts';

const enter = shareScriptedGateways();
const play = shareGatewaysWithHandler();

const operatorKeys: Readonly<Record<string, string>> = {
  anthropic: anthropicKey,
  openai: openaiKey,
  gemini: geminiKey,
};
const credentialHeaders: Readonly<Record<string, string>> = {
  anthropic: 'x-api-key',
  openai: 'authorization',
  gemini: 'x-goog-api-key',
};

const providerErrors: readonly { readonly status: number; readonly headers?: Record<string, string> }[] = [
  { status: 400 },
  { status: 401 },
  { status: 404 },
  { status: 429, headers: { 'retry-after': '17', 'retry-after-ms': '16500', 'x-should-retry': 'true' } },
  { status: 500, headers: { 'x-should-retry': 'false' } },
  { status: 529, headers: { 'retry-after': '2' } },
];

for (const { format, streamed, manner } of framings) {
  test(`a request's bytes reach the provider exactly as they were sent (${manner})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith(plainAnswer(format, streamed));
    const body = oddRequest(format.model, streamed);
    const answer = await call(weir.url, { path: pathOf(format, streamed), body });
    assert.equal(answer.status, 200);
    assert.equal(sha256(fake.last.bytes), sha256(body));
    assert.equal(fake.last.headers['content-length'], String(body.byteLength));
  });

  test(`an answer's bytes reach the client exactly as the provider sent them (${manner})`, async () => {
    const { fake, weir } = await enter();
    const bytes = streamed ? oddStream(format) : oddAnswer(format);
    const type = streamed ? 'text/event-stream' : 'application/json; charset="utf-8"';
    // Cut at every seventh byte: in the middle of lines, of CRLFs and of UTF-8 sequences.
    fake.answerWith({ headers: { 'content-type': type }, chunks: pieces(bytes, 7) });
    const answer = await call(weir.url, requestSentIn(format, streamed));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], type);
    assert.equal(sha256(answer.bytes), sha256(bytes));
    if (!streamed) assert.equal(answer.headers['content-length'], String(bytes.byteLength));
  });

  test(`a provider's name before the model is taken from there, and nothing else changes (${manner})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith(plainAnswer(format, streamed));
    const isInPath = format.path.includes(format.model);
    const body = oddRequest(isInPath ? format.model : `${format.provider}/${format.model}`, streamed);
    const path = pathOf(format, streamed).replace('/models/', `/models/${format.provider}/`);
    await call(weir.url, { path, body });
    assert.equal(fake.last.url, pathOf(format, streamed));
    assert.equal(sha256(fake.last.bytes), sha256(oddRequest(format.model, streamed)));
    assert.equal(fake.last.headers['content-length'], String(fake.last.bytes.byteLength));
  });

  test(`headers that a provider defines and unknown ones go through unmodified (${manner})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith(plainAnswer(format, streamed));
    await call(weir.url, { ...requestSentIn(format, streamed), headers: travelling });
    assert.deepEqual(pairsOf(fake.last.rawHeaders).filter(isTravelling), pairsOf(travelling));
  });

  test(`of a client's headers nothing else than those reaches a provider (${manner})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith(plainAnswer(format, streamed));
    const headers = [...staying, ...travelling];
    const { status } = await call(weir.url, { ...requestSentIn(format, streamed), headers });
    assert.equal(status, 200);
    const own = [
      'host',
      'connection',
      'content-type',
      'content-length',
      'accept-encoding',
      'via',
      credentialHeaders[format.provider] ?? assert.fail(),
    ];
    const seen = pairsOf(fake.last.rawHeaders).map(([name]) => name.toLowerCase());
    const expected = [...own, ...pairsOf(travelling).map(([name]) => name.toLowerCase())];
    assert.deepEqual(seen.toSorted(), expected.toSorted());
    assert.equal(fake.last.headers.host, new URL(fake.url).host);
    assert.equal(fake.last.headers['accept-encoding'], 'identity');
    assert.equal(JSON.stringify(fake.last.rawHeaders).includes('canary'), false);
  });

  test(`a provider's headers come back, but for those that are not the client's business (${manner})`, async () => {
    const { fake, weir } = await enter();
    const key = operatorKeys[format.provider] ?? assert.fail();
    const kept = {
      'anthropic-ratelimit-requests-remaining': '49',
      'x-ratelimit-limit-tokens': '30000',
      'openai-processing-ms': '412',
      'request-id': 'req_upstream_1',
      'x-brand-new': 'odd  spacing; "quotes", commas',
    };
    const gone = {
      'set-cookie': ['__cf_bm=canary; path=/', 'second=canary'],
      'keep-alive': 'timeout=5, canary',
      connection: 'keep-alive, x-only-this-hop',
      'x-only-this-hop': 'canary',
      'proxy-authenticate': 'Basic realm="canary"',
      'x-echoed-key': `Bearer ${key}`,
      'x-weir-cache': 'canary',
      'access-control-allow-origin': '*',
    };
    const script = plainAnswer(format, streamed);
    fake.answerWith({ ...script, headers: { ...kept, ...gone, 'x-request-id': 'theirs' } });
    const answer = await call(weir.url, requestSentIn(format, streamed));
    for (const [name, value] of Object.entries(kept)) assert.equal(answer.headers[name], value, name);
    assert.equal(answer.headers['x-upstream-request-id'], 'theirs');
    assertOwnRequestId(answer);
    assert.equal(answer.headers['x-weir-cache'], 'bypass');
    const raw = JSON.stringify(answer.rawHeaders);
    assert.equal(raw.includes('canary'), false, raw);
    assert.equal(raw.includes(key), false);
    for (const name of ['set-cookie', 'x-only-this-hop', 'x-echoed-key', 'access-control-allow-origin'])
      assert.equal(answer.headers[name], undefined, name);
  });

  test(`a header that the provider sent twice comes back twice (${manner})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith({ ...plainAnswer(format, streamed), headers: { 'x-twice': ['one', 'two'] } });
    const answer = await call(weir.url, requestSentIn(format, streamed));
    const twice = pairsOf(answer.rawHeaders).filter(([name]) => name === 'x-twice');
    assert.deepEqual(twice, [
      ['x-twice', 'one'],
      ['x-twice', 'two'],
    ]);
  });

  test(`a provider's header with bytes beyond ASCII comes back byte for byte (${manner})`, async () => {
    const body = Buffer.from(streamed ? streamIn(format, 'Hello') : JSON.stringify(format.whole('Hello')));
    const type = streamed ? 'text/event-stream' : 'application/json';
    const weir = await play((_, res) => {
      res.writeHead(200, { 'content-type': type, 'x-latin': 'caf\u00e9' }).end(body);
    });
    const answer = await call(weir.url, requestSentIn(format, streamed));
    assert.equal(answer.headers['x-latin'], 'caf\u00e9');
  });

  for (const error of providerErrors)
    test(`a provider's ${error.status} passes through unmodified (${manner})`, async () => {
      const { fake, weir } = await enter();
      const body = Buffer.from(
        `{ "type":"error",\r\n "error":{"type":"x_new","message":"n\u00f6"} , "n":1e2}\n`,
      );
      const headers = {
        'content-type': 'application/json',
        'request-id': 'req_upstream_2',
        'x-request-id': 'theirs',
        'anthropic-ratelimit-tokens-remaining': '0',
        'x-ratelimit-reset-requests': '8.64s',
        'x-brand-new': 'kept',
        'set-cookie': 'a=canary',
        ...error.headers,
      };
      fake.answerWith({ status: error.status, headers, body });
      const answer = await call(weir.url, requestSentIn(format, streamed));
      assert.equal(answer.status, error.status);
      assert.equal(sha256(answer.bytes), sha256(body));
      assert.equal(answer.headers['content-length'], String(body.byteLength));
      const { 'x-request-id': _, 'set-cookie': __, ...kept } = headers;
      for (const [name, value] of Object.entries(kept)) assert.equal(answer.headers[name], value, name);
      assert.equal(answer.headers['x-upstream-request-id'], 'theirs');
      assert.equal(answer.headers['set-cookie'], undefined);
      assertOwnRequestId(answer);
      assert.equal(fake.requests.length, 1);
    });
}

test('a key that is there twice deep inside is passed on as it is, and refused where somebody reads the body', async () => {
  const { fake, weir } = await enter();
  fake.answerWith(plainAnswer(messages, false));
  const written = (model: string) =>
    Buffer.from(
      `{"model":"${model}","max_tokens":9,"messages":[{"role":"user","content":"Hi","role":"user"}]}`,
    );
  const body = written(messages.model);
  assert.equal((await call(weir.url, { path: messages.path, body })).status, 200);
  assert.equal(sha256(fake.last.bytes), sha256(body));
  const read = ['x-weir-pipeline', 'exact-cache'];
  for (const { headers = [], model = messages.model } of [{ headers: read }, { model: 'demo-1' }]) {
    const refused = await call(weir.url, { path: messages.path, headers, body: written(model) });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /duplicate key/);
  }
});

for (const query of ['?beta=true', '?a=1&b=%20%2F&empty=&a=2', '?'])
  test(`the query "${query}" goes through`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith(plainAnswer(messages, false));
    const answer = await call(weir.url, { path: messages.path + query, body: requestIn(messages, false) });
    assert.equal(answer.status, 200);
    assert.equal(fake.last.url, messages.path + query);
  });

test('names in a second connection header stay here too', async () => {
  const { fake, weir } = await enter();
  fake.answerWith(plainAnswer(messages, false));
  const headers = ['connection', 'keep-alive', 'connection', 'x-this-hop', 'x-this-hop', 'canary'];
  await call(weir.url, { ...requestSentIn(messages, false), headers });
  assert.equal(fake.last.headers['x-this-hop'], undefined);
});

test('what came through other proxies says so, with the gateway last', async () => {
  const { fake, weir } = await enter();
  fake.answerWith(plainAnswer(messages, false));
  const headers = ['via', '1.1 first', 'via', '1.0 second (two)'];
  await call(weir.url, { ...requestSentIn(messages, false), headers });
  assert.match(fake.last.headers.via ?? '', /^1\.1 first, 1\.0 second \(two\), 1\.1 weir-[0-9a-f]+$/);
});

for (const format of formats) {
  test(`a key given on the request pays instead of the operator's (${format.name})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith(plainAnswer(format, false));
    const own = (operatorKeys[format.provider] ?? '').replace('the-operators-own', 'mine');
    for (const headers of [
      ['x-provider-key', own],
      ['x-provider-key', `${format.provider}=${own}`],
      ['x-api-key', own],
      ['x-goog-api-key', own],
      ['authorization', `Bearer ${own}`],
    ]) {
      await call(weir.url, { ...requestSentIn(format, false), headers });
      assert.equal(credentialSeen(fake.last), own, headers.join(': '));
      const carrying = pairsOf(fake.last.rawHeaders).filter(([, value]) => value.includes(own));
      assert.equal(carrying.length, 1, headers.join(': '));
    }
  });

  test(`a provider that has no key of the client's gets the operator's (${format.name})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith(plainAnswer(format, false));
    const headers = ['authorization', 'Bearer anything', 'x-api-key', 'anything else'];
    await call(weir.url, { ...requestSentIn(format, false), headers });
    assert.equal(credentialSeen(fake.last), operatorKeys[format.provider]);
  });

  test(`a provider that answers a streamed call with JSON is still streamed to the client (${format.name})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith({ body: format.whole('Whole after all') });
    const answer = await call(weir.url, requestSentIn(format, true));
    assert.match(answer.headers['content-type'] ?? '', /^text\/event-stream/);
    assert.match(answer.text, /^(event|data): /);
    assert.match(answer.text, /Whole after all/);
  });

  test(`a provider that streams an unstreamed call is put together for the client (${format.name})`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith({ chunks: [streamIn(format, 'In pieces')] });
    const answer = await call(weir.url, requestSentIn(format, false));
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(answer.headers['content-length'], String(answer.bytes.byteLength));
    assert.match(JSON.stringify(answer.json), /In pieces/);
  });
}

function plainAnswer(format: TestedFormat, streamed: boolean) {
  return streamed ? { chunks: [streamIn(format, 'Hello', ' you')] } : { body: format.whole('Hello you') };
}

/** Everything that a parser and a printer would not give back as it was. */
function oddRequest(model: string, streamed: boolean): Buffer {
  return Buffer.from(
    ` \r\n{"zebra" :{"b":1,"a":[ ]}, "stream":${streamed}\t,\n"model":  "${model}","max_tokens":1e2,` +
      '"big":123456789012345678901234567890, "float":1.10, "negative":-0,' +
      '"stream_options":{ "include_usage":true },"text":"\\u00fcber \\/ 水 \\ud83d\\ude00 😀\\u2028", "unknown":null,' +
      '"messages":[{"content":"a:b,{\\"c\\"}","role":"user","x_new":true}],"":"empty key"}\n ',
  );
}

/** CRLF and LF, missing spaces, comments, unknown events and fields, and no blank line at the end. */
function oddStream({ start, content, end }: TestedFormat): Buffer {
  const [first = '', ...others] = start;
  return Buffer.from(
    first.replaceAll('\n', '\r\n') +
      others.join('') +
      ': a comment\n\n' +
      'event: brand_new\ndata: {"type":"brand_new" , "payload":[1,  12345678901234567890]}\n\n' +
      'id: 7\nretry: 100\nevent: another_new\r\ndata:{"type":"another_new","text":"水😀"}\r\n\r\n' +
      content('ü水😀').replaceAll('data: ', 'data:') +
      content('\\"').replaceAll('"index":', ' "x_new" : 1.0 ,"index"  :') +
      end.join('').trimEnd(),
  );
}

function oddAnswer(format: TestedFormat): Buffer {
  const text = JSON.stringify(format.whole('ü水😀'), undefined, 3).replaceAll('\n', '\r\n');
  return Buffer.from(`\n${text.replace('{', '{ "brand_new" : 12345678901234567890,"x":1.10 ,')} \r\n`);
}

function pieces(bytes: Buffer, size: number): readonly Buffer[] {
  const count = Math.ceil(bytes.byteLength / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** Headers for the provider, as one client or another sends them. */
const travelling: readonly string[] = [
  ...['Anthropic-Version', '2023-06-01', 'anthropic-beta', 'brand-new-2030-01-01,another-one'],
  ...['anthropic-dangerous-direct-browser-access', 'true'],
  ...['OpenAI-Organization', 'org-1', 'openai-project', 'proj_1', 'openai-beta', 'assistants=v2'],
  ...['X-Stainless-Lang', 'js', 'x-stainless-retry-count', '0'],
  ...['Idempotency-Key', 'b4c5-1', 'x-claude-code-session-id', 'session-1'],
  ...['User-Agent', 'client/1.0 (odd;  spacing)', 'accept', 'application/json'],
  ...['X-Brand-New', 'caf\u00e9 "quoted", commas', 'x-twice', 'one', 'x-twice', 'two', 'x-empty', ''],
];

const travellingNames = new Set(pairsOf(travelling).map(([name]) => name));

function isTravelling([name]: readonly [string, string]): boolean {
  return travellingNames.has(name);
}

/** Headers that end here: whatever says who the client is, or is meant for this hop or for the gateway. */
const staying: readonly string[] = [
  ...['authorization', 'Bearer canary-token', 'x-api-key', 'canary-token', 'cookie', 'session=canary'],
  ...['x-goog-api-key', 'canary', 'api-key', 'canary', 'proxy-authorization', 'Basic canary'],
  ...['connection', 'keep-alive, X-This-Hop', 'x-this-hop', 'canary', 'keep-alive', 'timeout=5'],
  ...['te', 'trailers', 'proxy-connection', 'keep-alive', 'upgrade', 'canary'],
  ...['x-weir-trace', 'off', 'x-weir-pipeline', 'none', 'x-weir-brand-new', 'canary'],
  ...['x-forwarded-for', '10.0.0.1', 'X-Forwarded-Proto', 'https', 'x-forwarded-brand-new', 'canary'],
  ...['forwarded', 'for=canary', 'x-real-ip', '10.0.0.1', 'cf-connecting-ip', '10.0.0.1'],
  ...['x-goog-iap-jwt-assertion', 'canary', 'cf-access-jwt-assertion', 'canary'],
  ...['x-amzn-oidc-data', 'canary', 'x-ms-client-principal', 'canary'],
  ...['x-auth-request-email', 'canary', 'x-remote-user', 'canary', 'accept-encoding', 'gzip, br'],
];

function credentialSeen({ headers }: SeenRequest): string | undefined {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'];
  return typeof key === 'string' ? key : headers.authorization?.replace('Bearer ', '');
}

function assertOwnRequestId({ rawHeaders }: RawAnswer): void {
  const own = pairsOf(rawHeaders).filter(([name]) => name.toLowerCase() === 'x-request-id');
  assert.equal(own.length, 1);
  assert.match(own[0]?.[1] ?? '', /^req_[0-9a-f]{32}$/);
}

function pairsOf(list: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: list.length / 2 }, (_, at) => [list[2 * at] ?? '', list[2 * at + 1] ?? '']);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
