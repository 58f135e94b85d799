import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { objectsOf } from '../src/wire/json-values.ts';
import { answering } from './agents/scripted-turns.ts';
import { fuzzProviderSockets } from './fuzz/fuzz-provider-sockets.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { ResponseSocket } from './support/response-socket.ts';
import { openaiKey, shareScriptedGateways } from './support/scripted-gateway.ts';
import { SocketProvider } from './support/socket-provider.ts';

const maskingModules = fileURLToPath(import.meta.resolve('./support/masking-modules.ts'));
const openGateway = shareScriptedGateways();
const model = 'gpt-5-codex';
const kept = { model, store: false } as const;

async function open(t: TestContext, headers: Record<string, string> = {}) {
  const { fake, weir } = await openGateway({ WEIR_MODULES: maskingModules });
  const provider = SocketProvider.at(fake);
  cleanUp(t, () => fake.onUpgrade(undefined));
  fake.answerWith((request) =>
    answering(request, { text: `${objectsOf(request.json.input).length} over HTTP` }),
  );
  const socket = await ResponseSocket.open(t, weir.url, { headers });
  return { fake, weir, provider, socket };
}

test('the provider gets the messages of the client, and the client the events of the provider', async (t) => {
  const beta = 'responses_websockets=2026-02-06';
  const { fake, provider, socket } = await open(t, { 'openai-beta': beta, 'x-own': '1' });
  const received: string[] = [];
  socket.sdk.socket.on('message', (data) => received.push(String(data)));
  const first = await socket.create({ ...kept, input: 'one', stream_id: 'a' });
  const second = await socket.create({
    ...kept,
    input: 'two',
    stream_id: 'a',
    previous_response_id: first.id,
  });
  const fork = await socket.create({
    ...kept,
    input: 'other',
    stream_id: 'b',
    previous_response_id: second.id,
  });
  assert.deepEqual([first.text, second.text, fork.text], ['1 messages', '3 messages', '5 messages']);
  const { type, ...fields } = provider.messages[1]?.json ?? {};
  assert.deepEqual(fields, { ...kept, input: 'two', stream_id: 'a', previous_response_id: first.id });
  assert.equal(type, 'response.create');
  assert.deepEqual(received, provider.sent);
  assert.equal(fake.requests.length, 0);
  assert.equal(provider.handshakes.length, 1);
  const { authorization, 'openai-beta': sentBeta, 'x-own': own, ...rest } = provider.handshakes[0] ?? {};
  assert.deepEqual([authorization, sentBeta, own], [`Bearer ${openaiKey}`, beta, '1']);
  assert.ok(!('content-type' in rest));
});

test("the model gets the provider's name for it", async (t) => {
  const { provider, socket } = await open(t);
  await socket.create({ ...kept, model: `openai/${model}`, input: 'one' });
  assert.equal(provider.last.json.model, model);
});

test('lanes share the connection', async (t) => {
  const { provider, socket } = await open(t);
  provider.answerWith(() => undefined);
  for (const stream_id of ['a', 'b']) socket.send({ ...kept, stream_id, input: stream_id });
  await eventually(() => (provider.messages.length === 2 ? true : undefined));
  for (const message of provider.messages.toReversed()) message.answer(`for ${message.json.stream_id}`);
  assert.equal((await socket.answer('a')).text, 'for a');
  assert.equal((await socket.answer('b')).text, 'for b');
  assert.equal(provider.webSockets.length, 1);
});

test('a conversation outlives the connection to the provider', async (t) => {
  const { fake, provider, socket } = await open(t);
  const first = await socket.create({ ...kept, input: 'one' });
  // Between two responses: the next one gets the whole conversation on another connection.
  provider.webSockets[0]?.close(1001);
  await once(provider.webSockets[0] ?? assert.fail(), 'close');
  const second = await socket.create({ ...kept, input: 'two', previous_response_id: first.id });
  assert.equal(second.text, '3 messages');
  assert.equal(provider.webSockets.length, 2);
  // Before the first event: over HTTP.
  provider.answerWith(({ webSocket }) => webSocket.terminate());
  const third = await socket.create({ ...kept, input: 'three', previous_response_id: second.id });
  assert.equal(third.text, '5 over HTTP');
  assert.equal(fake.requests.length, 1);
  // The answer over HTTP is unknown to the connection.
  provider.answerWith((message) => message.answer(message.texts.join(' ')));
  const fourth = await socket.create({ ...kept, input: 'four', previous_response_id: third.id });
  assert.equal(fourth.text, 'one 1 messages two 3 messages three 5 over HTTP four');
  const fifth = await socket.create({ ...kept, input: 'five', previous_response_id: fourth.id });
  assert.deepEqual(provider.last.json.input, 'five');
  assert.ok(fifth.text.endsWith('four five'));
});

test('a provider that has forgotten an answer gets the conversation over HTTP', async (t) => {
  const { provider, socket } = await open(t);
  const first = await socket.create({ ...kept, input: 'one' });
  for (const code of ['previous_response_not_found', 'websocket_connection_limit_reached']) {
    provider.answerWith(({ send }) => send({ type: 'error', status: 400, error: { code, message: 'gone' } }));
    const second = await socket.create({ ...kept, input: 'two', previous_response_id: first.id });
    assert.equal(second.text, '3 over HTTP', code);
  }
  provider.answerWith(({ answer }) => answer('again'));
  assert.equal((await socket.create({ ...kept, input: 'three' })).text, 'again');
  assert.equal(provider.webSockets.length, 2);
  // Nobody has this one.
  const { error } = await socket.create({ ...kept, input: 'one', previous_response_id: 'resp_unknown' });
  assert.equal(at(error, 'error', 'code'), 'previous_response_not_found');
});

test('a provider without WebSockets is asked once', async (t) => {
  const { fake, socket } = await open(t);
  let handshakes = 0;
  fake.onUpgrade((_, connection) => {
    handshakes++;
    connection.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
  });
  const first = await socket.create({ ...kept, input: [{ role: 'user', content: 'one' }] });
  const second = await socket.create({ ...kept, input: 'two', previous_response_id: first.id });
  assert.deepEqual([first.text, second.text, handshakes], ['1 over HTTP', '3 over HTTP', 1]);
});

test('errors of the provider are those of a call over HTTP', async (t) => {
  const { provider, socket } = await open(t);
  const error = { message: 'slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null };
  const event = { type: 'error', status: 429, error, headers: { 'retry-after': '3', 'x-bad': 'a\nb' } };
  provider.answerWith(({ send }) => send(event));
  const before = await socket.create({ ...kept, input: 'one', stream_id: 'a' });
  assert.partialDeepStrictEqual(before.error, {
    status: 429,
    stream_id: 'a',
    error: { ...error, headers: { 'retry-after': '3' } },
  });
  assert.equal(at(before.error, 'headers', 'x-bad'), undefined);
  // In the middle of a response.
  provider.answerWith((message) => {
    startAnswer(message.send);
    message.send(event);
  });
  const amid = await socket.create({ ...kept, input: 'one' });
  assert.partialDeepStrictEqual(amid.error, { status: 429, error });
  provider.answerWith(({ send, webSocket }) => {
    startAnswer(send);
    webSocket.close();
  });
  const broken = await socket.create({ ...kept, input: 'one' });
  assert.equal(broken.error?.status, 502);
});

/** Sends the events up to the first text. */
function startAnswer(send: (event: object) => void): void {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
  send({ type: 'response.created', response: { id: 'resp_1', object: 'response', model, output: [] } });
  send({ type: 'response.output_item.added', output_index: 0, item });
  send({ type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } });
  send({ type: 'response.output_text.delta', ...place, delta: 'half of it' });
}

test('a client that leaves closes the connections to providers', async (t) => {
  const { weir, provider, socket } = await open(t);
  provider.answerWith(({ send }) => startAnswer(send));
  for (const stream_id of ['a', 'b']) socket.send({ ...kept, stream_id, input: 'one' });
  await eventually(() => (socket.events.length === 8 ? true : undefined));
  const closed = once(provider.webSockets[0] ?? assert.fail(), 'close');
  socket.sdk.socket.terminate();
  await closed;
  await eventually(async () => {
    const { text } = await call(weir.url, { path: '/metrics' });
    return /^weir_open_calls 0$/m.test(text) ? true : undefined;
  });
});

test('calls that a module edits are sent over HTTP', async (t) => {
  const { fake, provider, socket } = await open(t, { 'x-weir-pipeline': 'mask' });
  const first = await socket.create({ ...kept, input: 'nothing to hide' });
  assert.equal(provider.messages.length, 1);
  await socket.create({ ...kept, input: 'I am bob', previous_response_id: first.id });
  assert.equal(provider.messages.length, 1);
  assert.ok(!fake.last.bytes.includes('bob'));
  assert.ok(fake.last.bytes.includes('nothing to hide'));
});

test('hostile messages of a provider end their calls only', async () => {
  const seed = Math.floor(Date.now() / 86_400_000);
  assert.ok((await fuzzProviderSockets({ seed, ms: 700 })) > 0, `seed ${seed}`);
});

test('each response is metered, logged and billed by itself', async (t) => {
  const fake = await FakeUpstream.start();
  t.after(() => fake.close());
  const provider = SocketProvider.at(fake);
  const weir = await startCloud(t, { WEIR_OPENAI_BASE_URL: `${fake.url}/v1` });
  const person = await Person.signUp(weir.url);
  await person.call({ path: '/v1/byok/openai', method: 'PUT', body: { key: 'sk-tests' } });
  const { key } = await person.makeKey();
  const socket = await ResponseSocket.open(t, weir.url, { key });
  const { id } = await socket.create({ ...kept, input: 'one' });
  await socket.create({ ...kept, input: 'two', previous_response_id: id });
  const requests = await eventually(async () => {
    const found = objectsOf((await person.call({ path: '/v1/requests' })).json.requests);
    return found.length === 2 ? found : undefined;
  });
  assert.deepEqual(
    requests.map(({ status, provider: named, input_tokens, output_tokens }) => [
      status,
      named,
      input_tokens,
      output_tokens,
    ]),
    Array.from({ length: 2 }, () => [200, 'openai', 10, 5]),
  );
  assert.equal(provider.messages.length, 2);
  assert.equal(provider.handshakes[0]?.authorization, 'Bearer sk-tests');
  assert.ok(weir.logLines.every((line) => !line.includes('sk-tests')));
});
