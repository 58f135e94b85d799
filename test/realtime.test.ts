import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import type { JsonObject } from '../src/lib/json.ts';
import type { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { objectOf, objectsOf } from '../src/wire/json-values.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { RealtimeClient } from './support/realtime-client.ts';
import { RealtimeProvider, realtimeUsage, responseEvents } from './support/realtime-provider.ts';
import { openaiKey, shareScriptedGateways, startScriptedGateway } from './support/scripted-gateway.ts';

const openGateway = shareScriptedGateways();
const created = {
  type: 'session.created',
  event_id: 'event_0',
  session: { type: 'realtime', model: 'gpt-realtime' },
};
const usage = realtimeUsage({
  text: 100,
  audio: 200,
  cachedText: 50,
  cachedAudio: 100,
  textOut: 10,
  audioOut: 90,
});

/** Answers each request for a response. */
function talkingProvider(fake: FakeUpstream): RealtimeProvider {
  const provider = RealtimeProvider.at(fake);
  provider.script(
    (one) => one.send(created),
    (event, one) => {
      if (event.type === 'response.create') for (const sent of responseEvents('hi', usage)) one.send(sent);
    },
  );
  return provider;
}

/** The rows of the log that belong to a session, once there are as many. */
function callsOf(url: string, conversation: string, count: number): Promise<readonly JsonObject[]> {
  return eventually(async () => {
    const { json } = await call(url, { path: '/v1/requests?limit=50' });
    const own = objectsOf(json.requests).filter((one) => one.conversation === conversation);
    return own.length >= count ? own : undefined;
  });
}

test('each response of a session is a call with its own cost', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = talkingProvider(fake);
  const client = await RealtimeClient.open(t, weir.url, { headers: { 'x-weir-conversation': 'costs' } });
  await client.event('session.created');
  await client.respond();
  await client.respond();
  client.sdk.close();
  const calls = await callsOf(weir.url, 'costs', 2);
  assert.equal(calls.length, 2);
  const { url, headers } = provider.last.request;
  assert.equal(url, '/v1/realtime?model=gpt-realtime');
  assert.equal(headers.authorization, `Bearer ${openaiKey}`);
  // 50 of text at 4 dollars a million, 100 of sound at 32, 150 cached at 0.4, 10 of text out at 16, 90 of sound at 64.
  assert.deepEqual(
    calls.map((one) => [
      one.cost_usd,
      one.cost_estimated,
      one.input_tokens,
      one.cache_read_tokens,
      one.output_tokens,
    ]),
    [0, 1].map(() => ['0.00938', false, 150, 150, 100]),
  );
  assert.ok(calls.every((one) => one.wire_format === 'realtime' && one.status === 200));
  await eventually(() => (provider.last.closedWith === undefined ? undefined : true));
});

test('messages pass byte for byte in both directions: text, binary, in fragments and large', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = RealtimeProvider.at(fake);
  provider.script(
    () => undefined,
    (_, one, { data, isBinary }) => one.send(isBinary ? data : data.toString()),
  );
  const client = await RealtimeClient.open(t, weir.url);
  const { socket } = client.sdk;
  const messages: (string | Buffer)[] = [
    '{"type":"input_audio_buffer.append","audio":"AAAA"}',
    ' { "type" : "x", "text":"\\u00e9\\ud83d\\ude00 é😀" , "number": 1.0000000000000000001 }',
    'no JSON',
    '',
    Buffer.from([0, 255, 1, 254]),
    randomBytes(3_000_000),
    `{"type":"input_audio_buffer.append","audio":"${randomBytes(6_000_000).toString('base64')}"}`,
  ];
  for (const message of messages) socket.send(message, { binary: Buffer.isBuffer(message) });
  // One message in three frames.
  const pieces = ['{"type":"input_audio', '_buffer.append","audio":', '"AAAA"}'];
  for (const [place, piece] of pieces.entries()) socket.send(piece, { binary: false, fin: place === 2 });
  const sent = [...messages, pieces.join('')].map((message) => ({
    data: Buffer.from(message),
    isBinary: Buffer.isBuffer(message),
  }));
  await eventually(() => (client.frames.length === sent.length ? true : undefined));
  for (const [place, { data, isBinary }] of sent.entries())
    for (const passed of [provider.last.received[place], client.frames[place]]) {
      assert.equal(passed?.isBinary, isBinary, String(place));
      assert.ok(passed?.data.equals(data), String(place));
    }
});

test('a browser sends its key, and the form of the API, as subprotocols', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = talkingProvider(fake);
  const own = 'sk-proj-the-clients-own';
  const protocols = [
    'realtime',
    `openai-insecure-api-key.${own}`,
    'openai-beta.realtime-v1',
    'openai-project.p1',
  ];
  const socket = new WebSocket(`${weir.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, protocols);
  t.after(() => socket.terminate());
  await once(socket, 'open');
  assert.equal(socket.protocol, 'realtime');
  const { headers } = provider.last.request;
  assert.equal(headers.authorization, `Bearer ${own}`);
  assert.equal(headers['openai-beta'], 'realtime=v1');
  assert.equal(headers['openai-project'], 'p1');
  assert.equal(headers['sec-websocket-protocol'], undefined);
});

test('what is wrong with a session is an answer over HTTP', async (t) => {
  const { fake, weir } = await openGateway();
  RealtimeProvider.at(fake).script(() => undefined);
  const cases = [
    ['?model=nobody-has-this', 404],
    ['', 400],
    ['?call_id=rtc_1', 400],
    ['?model=claude-sonnet-4-5', 404],
  ] as const;
  for (const [query, status] of cases)
    assert.equal(await refusalOf(t, `${weir.url}/v1/realtime${query}`), status, query);
  const body = JSON.stringify({
    error: { message: 'Incorrect API key', type: 'x', code: 'invalid_api_key' },
  });
  const type = 'content-type: application/json';
  fake.onUpgrade((_, socket) =>
    socket.end(`HTTP/1.1 401 No\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  assert.equal(await refusalOf(t, `${weir.url}/v1/realtime?model=gpt-realtime`), 401);
  assert.equal((await call(weir.url, { path: '/v1/realtime?model=gpt-realtime' })).status, 426);
});

function refusalOf(t: TestContext, url: string): Promise<number | undefined> {
  const socket = new WebSocket(url.replace('http', 'ws'), []);
  t.after(() => socket.terminate());
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
}

test('the provider’s own close code and reason reach the client, and the other way round', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = talkingProvider(fake);
  const client = await RealtimeClient.open(t, weir.url);
  await client.event('session.created');
  provider.last.webSocket.close(4003, 'invalid_request_error.some_code');
  assert.deepEqual(await client.ending(), { code: 4003, reason: 'invalid_request_error.some_code' });
  const another = await RealtimeClient.open(t, weir.url);
  await another.event('session.created');
  provider.last.webSocket.terminate();
  assert.equal((await another.ending()).code, 1011);
});

test('a session can’t change its model, and goes on', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = talkingProvider(fake);
  const client = await RealtimeClient.open(t, weir.url, { model: 'openai/gpt-realtime' });
  assert.equal(provider.last.request.url, '/v1/realtime?model=gpt-realtime');
  client.sdk.send({ type: 'session.update', session: { type: 'realtime', model: 'gpt-realtime-2' } });
  const { error } = await client.event('error');
  assert.equal(at({ error }, 'error', 'param'), 'session.model');
  client.sdk.send({ type: 'session.update', session: { type: 'realtime', model: 'gpt-realtime' } });
  await client.respond();
  assert.equal(provider.last.received.length, 2);
});

test('transcriptions are billed by their own model, in tokens or seconds', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = talkingProvider(fake);
  const client = await RealtimeClient.open(t, weir.url, { headers: { 'x-weir-conversation': 'heard' } });
  const transcribe = (model: string) =>
    client.sdk.send({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { transcription: { model } } } },
    });
  const completed = {
    type: 'conversation.item.input_audio_transcription.completed',
    event_id: 'e',
    transcript: 'x',
  };
  transcribe('whisper-1');
  await eventually(() => provider.last.received[0]);
  provider.last.send({ ...completed, usage: { type: 'duration', seconds: 60 } });
  await callsOf(weir.url, 'heard', 1);
  transcribe('gpt-4o-transcribe');
  await eventually(() => provider.last.received[1]);
  const details = { text_tokens: 0, audio_tokens: 100 };
  provider.last.send({
    ...completed,
    usage: {
      type: 'tokens',
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      input_token_details: details,
    },
  });
  const calls = await callsOf(weir.url, 'heard', 2);
  // A minute at 0.006 dollars.
  assert.deepEqual(
    calls.map((one) => Number(one.cost_usd)).toSorted((one, other) => other - one),
    [0.006, 0.0008],
  );
});

test('a response that breaks off costs an estimate', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = RealtimeProvider.at(fake);
  provider.script(
    (one) => one.send(created),
    (event, one) => {
      if (event.type === 'response.create')
        for (const sent of responseEvents('hi', usage).slice(0, 2)) one.send(sent);
    },
  );
  const client = await RealtimeClient.open(t, weir.url, { headers: { 'x-weir-conversation': 'broken' } });
  client.sdk.send({ type: 'input_audio_buffer.append', audio: randomBytes(48_000).toString('base64') });
  client.sdk.send({ type: 'response.create' });
  await client.event('response.output_audio.delta');
  client.sdk.socket.terminate();
  const [broken] = await callsOf(weir.url, 'broken', 1);
  assert.equal(broken?.ending, 'aborted');
  assert.equal(broken?.cost_estimated, true);
  assert.ok(Number(broken?.input_tokens) >= 10, JSON.stringify(broken));
});

test('a response that failed says so in the log', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = RealtimeProvider.at(fake);
  const error = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'no money' };
  const more = { status: 'failed', usage: null, status_details: { type: 'failed', error } };
  provider.script(
    (one) => one.send(created),
    (event, one) => {
      if (event.type === 'response.create') for (const sent of responseEvents('', {}, more)) one.send(sent);
    },
  );
  const client = await RealtimeClient.open(t, weir.url, { headers: { 'x-weir-conversation': 'failed' } });
  await client.respond();
  const [failed] = await callsOf(weir.url, 'failed', 1);
  assert.equal(failed?.ending, 'failed');
  assert.equal(failed?.provider_error, 'insufficient_quota');
});

test('a session ends at its ceiling with an error, and has cost no more', async (t) => {
  const { fake, weir } = await startScriptedGateway(t, { WEIR_PIPELINE: 'cost-guard?day=0.5' });
  const dear = realtimeUsage({ audio: 1000, audioOut: 1000 });
  const provider = RealtimeProvider.at(fake);
  provider.script(
    (one) => one.send(created),
    (event, one) => {
      if (event.type === 'response.create') for (const sent of responseEvents('hi', dear)) one.send(sent);
    },
  );
  const client = await RealtimeClient.open(t, weir.url, { headers: { 'x-weir-conversation': 'ceiling' } });
  for (let count = 0; client.closed === undefined && count < 20; count++) {
    client.sdk.send({ type: 'response.create' });
    await Promise.race([client.event('response.done', count + 1).catch(() => undefined), client.ending()]);
  }
  const { code, reason } = await client.ending();
  assert.equal(code, 1008, reason);
  const error = objectOf(client.events.at(-1)?.error);
  assert.equal(client.events.at(-1)?.type, 'error');
  assert.equal(error?.code, 'insufficient_quota');
  const done = client.events.filter(({ type }) => type === 'response.done').length;
  const { json } = await call(weir.url, { path: '/v1/budgets' });
  const [budget] = objectsOf(json.budgets);
  assert.ok(done >= 1);
  // Each costs 0.032 + 0.064 dollars, and the next may cost as much as its bound.
  assert.ok(Math.abs(Number(budget?.spent_usd) - done * 0.096) < 1e-6, JSON.stringify(budget));
  assert.ok(Number(budget?.spent_usd) <= 0.5);
  assert.equal(Number(budget?.held_usd), 0);
  assert.equal(await eventually(() => provider.last.closedWith), 1000);
});

test('modules that protect and can’t read a session refuse it', async (t) => {
  const { fake, weir } = await startScriptedGateway(t, { WEIR_PIPELINE: 'guardrails?pii=redact' });
  const provider = talkingProvider(fake);
  assert.equal(await refusalOf(t, `${weir.url}/v1/realtime?model=gpt-realtime`), 400);
  assert.equal(provider.sessions.length, 0);
});

test('a gateway that shuts down completes the response and says why it closes', async (t) => {
  const { fake, weir } = await startScriptedGateway(t);
  const provider = RealtimeProvider.at(fake);
  provider.script((one) => one.send(created));
  const client = await RealtimeClient.open(t, weir.url);
  await client.event('session.created');
  const [begin, , done] = responseEvents('hi', usage);
  provider.last.send(begin ?? {});
  await client.event('response.created');
  const closing = weir.close();
  provider.last.send({ type: 'response.output_text.delta', delta: 'x' });
  await client.event('response.output_text.delta');
  provider.last.send(done ?? {});
  const { code } = await client.ending();
  assert.equal(code, 1012);
  assert.equal(at(client.events.at(-1), 'error', 'code'), 'draining');
  await closing;
});
