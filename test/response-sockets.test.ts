import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { FakeUpstream, type Script, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { objectsOf } from '../src/wire/json-values.ts';
import { answering } from './agents/scripted-turns.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { ResponseSocket } from './support/response-socket.ts';
import { shareScriptedGateways, startScriptedGateway } from './support/scripted-gateway.ts';

const openGateway = shareScriptedGateways();
const models = ['gpt-5-codex', 'claude-sonnet-4-5', 'gemini-2.5-pro'];

/** Answers with the number of messages that the provider received. */
function countMessages(request: SeenRequest): Script {
  const { input, messages, contents } = request.json;
  const said = typeof input === 'string' ? [input] : objectsOf(input ?? messages ?? contents);
  return answering(request, { text: `${said.length} messages` });
}

function texts({ json }: SeenRequest): readonly string[] {
  return [...JSON.stringify(json).matchAll(/"(?:text|content|input)":"([^"]*)"/g)].map(
    ([, text]) => text ?? '',
  );
}

function sha256(text: string): string {
  return hash('sha256', text);
}

for (const model of models)
  describe(model, () => {
    test('a conversation continues on the WebSocket, which alone knows it', async (t) => {
      const { fake, weir } = await openGateway();
      fake.answerWith(countMessages);
      const socket = await ResponseSocket.open(t, weir.url);
      const first = await socket.create({ model, store: false, input: 'one' });
      assert.equal(first.text, '1 messages');
      const second = await socket.create({
        model,
        store: false,
        previous_response_id: first.id,
        input: [{ role: 'user', content: 'two' }],
      });
      assert.equal(second.text, '3 messages');
      const third = await socket.create({
        model,
        store: false,
        previous_response_id: second.id,
        input: 'three',
      });
      assert.equal(third.text, '5 messages');
      const expected = ['one', '1 messages', 'two', '3 messages', 'three'];
      assert.deepEqual(
        texts(fake.last).filter((text) => expected.includes(text)),
        expected,
      );
      // Another branch of the same conversation.
      const fork = await socket.create({
        model,
        store: false,
        stream_id: 'fork',
        previous_response_id: first.id,
        input: 'other',
      });
      assert.equal(fork.text, '3 messages');
      assert.ok(fork.events.every((event) => 'stream_id' in event && event.stream_id === 'fork'));
    });

    test('a prepared turn calls no model, and the next turn continues from it', async (t) => {
      const { fake, weir } = await openGateway();
      fake.answerWith(countMessages);
      const socket = await ResponseSocket.open(t, weir.url);
      const prepared = await socket.create({ model, store: false, generate: false, input: 'before' });
      assert.deepEqual(
        prepared.events.map(({ type }) => type),
        ['response.created', 'response.completed'],
      );
      assert.equal(fake.requests.length, 0);
      const answer = await socket.create({
        model,
        store: false,
        previous_response_id: prepared.id,
        input: 'after',
      });
      assert.deepEqual(
        texts(fake.last).filter((text) => ['before', 'after'].includes(text)),
        ['before', 'after'],
      );
      assert.match(answer.text, /messages/);
    });

    test('an answer that no WebSocket and no provider knows is an error with its code', async (t) => {
      const { fake, weir } = await openGateway();
      const body = { error: { message: 'no such response', type: 'x', code: 'previous_response_not_found' } };
      fake.answerWith({ status: 400, body });
      const socket = await ResponseSocket.open(t, weir.url);
      const previous_response_id = 'resp_unknown';
      const { error } = await socket.create({ model, store: false, previous_response_id, input: 'one' });
      assert.equal(error?.status, 400);
      assert.equal(at(error, 'error', 'code'), 'previous_response_not_found');
    });

    test('lanes run at the same time, and the calls of one lane in turn', async (t) => {
      const { fake, weir } = await openGateway();
      const released = Promise.withResolvers<void>();
      fake.answerWith(async (request) => {
        if (texts(request).includes('slow')) await released.promise;
        return countMessages(request);
      });
      const socket = await ResponseSocket.open(t, weir.url);
      socket.send({ model, stream_id: 'a', input: 'slow' });
      socket.send({ model, stream_id: 'a', input: 'behind' });
      socket.send({ model, stream_id: 'b', input: 'beside' });
      assert.equal((await socket.answer('b')).text, '1 messages');
      assert.ok(fake.requests.every((request) => !texts(request).includes('behind')));
      released.resolve();
      await eventually(() => (fake.requests.length === 3 ? true : undefined));
      assert.ok(texts(fake.last).includes('behind'));
    });
  });

test('the provider gets the body of a call over HTTP, with the headers of the upgrade', async (t) => {
  const { fake, weir } = await openGateway();
  fake.answerWith(countMessages);
  const headers = {
    'openai-beta': 'responses_websockets=2026-02-06',
    'x-codex-window-id': 't:0',
    'x-own': '1',
  };
  const socket = await ResponseSocket.open(t, weir.url, { headers });
  const fields = { model: 'gpt-5-codex', input: 'one', temperature: 0.25 };
  await socket.create({ ...fields, stream_id: 's', client_metadata: { 'x-codex-window-id': 't:1' } });
  const { json, headers: sent, method, url } = fake.last;
  assert.deepEqual([method, url], ['POST', '/v1/responses']);
  assert.deepEqual(json, { stream: true, ...fields, client_metadata: { 'x-codex-window-id': 't:1' } });
  assert.equal(sent['x-own'], '1');
  assert.equal(sent['x-codex-window-id'], 't:1');
  assert.equal(sent['openai-beta'], undefined);
  assert.ok(Object.keys(sent).every((name) => !name.startsWith('sec-websocket')));
  await eventually(() => weir.logLines.find((line) => line.includes('"transport":"websocket"')));
});

test('an answer with a compaction begins the conversation anew', async (t) => {
  const { fake, weir } = await openGateway();
  const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'sealed' };
  const response = { id: 'resp_c', object: 'response', status: 'completed', output: [compaction] };
  const event = { type: 'response.completed', response, sequence_number: 0 };
  fake.answerWith({ chunks: [`event: response.completed\ndata: ${JSON.stringify(event)}\n\n`] });
  const socket = await ResponseSocket.open(t, weir.url);
  const fields = { model: 'gpt-5-codex', store: false } as const;
  const { id } = await socket.create({ ...fields, input: 'long ago' });
  fake.answerWith(countMessages);
  await socket.create({ ...fields, previous_response_id: id, input: 'next' });
  assert.deepEqual(fake.last.json.input, [compaction, { type: 'message', role: 'user', content: 'next' }]);
});

test('a message that is wrong gets an error, and the WebSocket goes on', async (t) => {
  const { fake, weir } = await openGateway();
  fake.answerWith(countMessages);
  const socket = await ResponseSocket.open(t, weir.url);
  const wrong: readonly (readonly [string | Buffer, string | null])[] = [
    ['{', null],
    ['[]', null],
    ['{"type":"response.create","type":"response.create"}', null],
    [Buffer.from('{"type":"response.create","model":"demo-1"}'), null],
    ['{"type":"session.update"}', 'type'],
    ['{"model":"demo-1","input":"x"}', 'type'],
    ['{"type":"response.create","input":"x"}', 'model'],
    ['{"type":"response.create","model":7}', 'model'],
    ['{"type":"response.create","model":"demo-1","stream_id":7}', 'stream_id'],
    ['{"type":"response.create","model":"demo-1","stream_id":""}', 'stream_id'],
    ['{"type":"response.create","model":"demo-1","background":true}', 'background'],
    ['{"type":"response.create","model":"demo-1","generate":false,"input":[{"a":1,"a":1}]}', null],
    ['{"type":"response.create","model":"claude-sonnet-4-5","input":7}', 'input'],
    ['{"type":"response.create","model":"claude-sonnet-4-5","input":[7]}', 'input.0'],
  ];
  for (const [message, param] of wrong) {
    const from = socket.events.length;
    socket.sdk.sendRaw(message);
    const { error } = await socket.answer(undefined, from);
    assert.equal(error?.status, 400, String(message));
    assert.equal(at(error, 'error', 'param'), param, String(message));
  }
  const from = socket.events.length;
  socket.sdk.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'stop' });
  await eventually(() => socket.events.slice(from).find(({ type }) => type === 'response.steer.failed'));
  assert.equal(fake.requests.length, 0);
  assert.equal((await socket.create({ model: 'gpt-5-codex', input: 'fine' })).text, '1 messages');
});

test('an error of a provider has its status and headers', async (t) => {
  const { fake, weir } = await openGateway();
  const body = { error: { message: 'slow down', type: 'rate_limit_error', code: null, param: null } };
  fake.answerWith({ status: 429, headers: { 'retry-after': '3' }, body });
  const socket = await ResponseSocket.open(t, weir.url);
  const { error } = await socket.create({ model: 'gpt-5-codex', input: 'one', stream_id: 'a' });
  assert.partialDeepStrictEqual(error, {
    type: 'error',
    status: 429,
    stream_id: 'a',
    error: { message: 'slow down', headers: { 'retry-after': '3' } },
    headers: { 'retry-after': '3' },
  });
});

test('an answer that breaks off ends with an error', async (t) => {
  const { fake, weir } = await openGateway();
  fake.answerWith((request) => {
    const { chunks = [] } = answering(request, { text: 'half of it' });
    return { chunks: chunks.slice(0, -2), ending: 'cut' };
  });
  const socket = await ResponseSocket.open(t, weir.url);
  for (const model of ['gpt-5-codex', 'claude-sonnet-4-5']) {
    const { error } = await socket.create({ model, input: 'one' });
    assert.equal(error?.status, 502, model);
  }
});

test('an error in the stream of a provider gets a status', async (t) => {
  const { fake, weir } = await openGateway();
  fake.answerWith((request) => {
    const { chunks = [] } = answering(request, { text: 'half of it' });
    const error = { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null };
    return { chunks: [...chunks.slice(0, -2), `event: error\ndata: ${JSON.stringify(error)}\n\n`] };
  });
  const socket = await ResponseSocket.open(t, weir.url);
  const { error } = await socket.create({ model: 'gpt-5-codex', input: 'one', stream_id: 'a' });
  assert.partialDeepStrictEqual(error, { status: 429, code: 'rate_limit_exceeded', stream_id: 'a' });
});

test('a stream that fails before its first content ends with an error', async (t) => {
  const { fake, weir } = await openGateway();
  const response = { id: 'resp_1', object: 'response', status: 'in_progress', output: [] };
  const error = { code: 'server_error', message: 'overloaded' };
  const created = { type: 'response.created', response };
  const failed = { type: 'response.failed', response: { ...response, status: 'failed', error } };
  const framed = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  const socket = await ResponseSocket.open(t, weir.url);
  fake.answerWith({ chunks: [framed(created), framed(failed)] });
  const { events } = await socket.create({ model: 'gpt-5-codex', input: 'one' });
  assert.deepEqual(events, [created, failed]);
  fake.answerWith({ chunks: [framed(created)] });
  const broken = await socket.create({ model: 'gpt-5-codex', input: 'one' });
  assert.equal(broken.error?.status, 502);
});

test('a client that closes its WebSocket aborts its calls', async (t) => {
  const { fake, weir } = await openGateway();
  fake.answerWith((request) => {
    const { chunks = [] } = answering(request, { text: 'hello' });
    return { chunks: chunks.slice(0, -1), ending: 'hang' };
  });
  const socket = await ResponseSocket.open(t, weir.url);
  for (const stream_id of ['a', 'b']) socket.send({ model: 'gpt-5-codex', stream_id, input: 'one' });
  await eventually(() => (fake.requests.length === 2 ? true : undefined));
  await eventually(() => (socket.events.length >= 8 ? true : undefined));
  socket.sdk.socket.terminate();
  assert.deepEqual(await Promise.all(fake.requests.map(({ over }) => over)), [false, false]);
  await eventually(async () => {
    const { text } = await call(weir.url, { path: '/metrics' });
    return /^weir_open_calls 0$/m.test(text) ? true : undefined;
  });
});

test('running calls end before the WebSocket of a gateway that shuts down', async (t) => {
  const { fake, weir } = await startScriptedGateway(t);
  const released = Promise.withResolvers<void>();
  fake.answerWith(async (request) => {
    await released.promise;
    return countMessages(request);
  });
  const socket = await ResponseSocket.open(t, weir.url);
  const idle = await ResponseSocket.open(t, weir.url);
  socket.send({ model: 'gpt-5-codex', stream_id: 'a', input: 'one' });
  await eventually(() => (fake.requests.length === 1 ? true : undefined));
  const closed = weir.gateway.close(60_000);
  assert.equal(await idle.closed, 1012);
  const { error } = await socket.create({ model: 'gpt-5-codex', stream_id: 'b', input: 'late' });
  assert.equal(at(error, 'error', 'code'), 'draining');
  released.resolve();
  assert.equal((await socket.answer('a')).text, '1 messages');
  assert.equal(await socket.closed, 1012);
  await closed;
});

test('a request that is no upgrade says what to do', async () => {
  const { weir } = await openGateway();
  const { status, headers, json } = await call(weir.url, { path: '/v1/responses' });
  assert.equal(status, 426);
  assert.equal(headers.upgrade, 'websocket');
  assert.equal(at(json, 'error', 'code'), 'upgrade_required');
});

describe('in cloud mode', () => {
  test('each response has its own entry in the request log, its quota and its receipt', async (t) => {
    const fake = await FakeUpstream.start(countMessages);
    t.after(() => fake.close());
    const weir = await startCloud(t, {
      WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
      WEIR_ANTHROPIC_BASE_URL: fake.url,
    });
    const person = await Person.signUp(weir.url);
    await person.call({ path: '/v1/byok/openai', method: 'PUT', body: { key: 'sk-tests' } });
    const { id, key } = await person.makeKey();
    await person.call({ method: 'PUT', path: `/v1/keys/${id}/receipts`, body: { enabled: true } });
    const socket = await ResponseSocket.open(t, weir.url, { key, headers: { 'x-weir-trace': 'on' } });
    const messages: string[] = [];
    socket.sdk.socket.on('message', (data) => messages.push(String(data)));
    const fields = { type: 'response.create', model: 'gpt-5-codex', store: false, stream_id: 'a' };
    const first = JSON.stringify({ ...fields, input: 'one' });
    socket.sdk.sendRaw(first);
    await socket.answer('a');
    const [head = '', ...events] = messages.splice(0);
    const { type, headers, stream_id } = JSON.parse(head);
    assert.deepEqual([type, stream_id], ['weir.headers', 'a']);
    const receipt = await eventually(async () => {
      const path = `/v1/receipts/${headers['x-weir-receipt']}`;
      const { status, json } = await person.call({ path });
      return status === 200 ? json : undefined;
    });
    assert.equal(receipt.status, 'complete');
    assert.equal(receipt.request_sha256, sha256(first));
    assert.equal(receipt.response_sha256, sha256(events.map((event) => `${event}\n`).join('')));
    await socket.create({ model: 'gpt-5-codex', store: false, input: 'two' });
    const requests = await eventually(async () => {
      const found = objectsOf((await person.call({ path: '/v1/requests' })).json.requests);
      return found.length === 2 ? found : undefined;
    });
    assert.ok(requests.every(({ status }) => status === 200));
    assert.ok(requests.some((one) => one.id === headers['x-request-id']));
    // A revoked key opens nothing, and makes no call on a WebSocket that is open.
    await person.call({ path: `/v1/keys/${id}`, method: 'DELETE' });
    const { error } = await socket.create({ model: 'gpt-5-codex', input: 'three' });
    assert.equal(error?.status, 401);
    await assert.rejects(ResponseSocket.open(t, weir.url, { key }), /401/);
    assert.equal(fake.requests.length, 2);
  });
});
