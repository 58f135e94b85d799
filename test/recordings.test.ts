import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { limits } from '../src/calls/limits.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import { at } from './support/at.ts';
import { brokenCall, call, openCall, type RawRequest, StreamReader } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { framings, messages, pathOf, requestIn, requestSentIn, streamIn } from './support/formats.ts';
import { anthropicKey, shareScriptedGateways } from './support/scripted-gateway.ts';
import { emptyFolder } from './support/weir-process.ts';

const enter = shareScriptedGateways();
const all = { WEIR_RECORD: 'all' };

/** Sends a call, and returns its answer with its recording. */
async function recorded(url: string, sent: RawRequest) {
  const answer = await call(url, sent);
  const id = String(answer.headers['x-request-id']);
  const recording = await eventually(async () => {
    const found = await call(url, { path: `/v1/recordings/${id}` });
    const isAwaited = answer.headers['x-weir-recorded'] === 'true' && found.status === 404;
    return isAwaited ? undefined : found;
  });
  return { answer, id, recording };
}

for (const { format, streamed, manner } of framings)
  test(`a recording has the bytes that crossed the client's connection (${manner})`, async () => {
    const { fake, weir } = await enter(all);
    const body = Buffer.from(`${JSON.stringify(requestIn(format, streamed), undefined, 1)} \n`);
    fake.answerWith({
      headers: { 'content-type': streamed ? 'text/event-stream' : 'application/json' },
      body: streamed ? streamIn(format, 'Grüße', ' aus 東京') : format.whole('Hello'),
    });
    const path = pathOf(format, streamed);
    const headers = ['x-weir-pipeline', 'none', 'anthropic-beta', 'one', 'x-weir-trace', 'on'];
    const { answer, id, recording } = await recorded(weir.url, { path, body, headers });
    assert.deepEqual([answer.status, answer.headers['x-weir-recorded']], [200, 'true']);
    const { json: logged } = await call(weir.url, { path: `/v1/requests/${id}` });
    assert.deepEqual(logged.changes, [{ what: 'header', name: 'x-weir-recorded' }]);
    const { request, response, ...facts } = recording.json;
    assert.partialDeepStrictEqual(facts, {
      id,
      key_id: null,
      model: format.model,
      streamed,
      pipeline: 'none',
      ending: 'complete',
      error_code: null,
    });
    assert.deepEqual(
      [at(request, 'path'), at(request, 'body'), at(request, 'bytes'), at(request, 'truncated')],
      [path, body.toString(), body.byteLength, false],
    );
    assert.deepEqual(
      [at(response, 'status'), at(response, 'body'), at(response, 'bytes'), at(response, 'truncated')],
      [200, answer.text, answer.bytes.byteLength, false],
    );
    assert.ok(JSON.stringify(at(request, 'headers')).includes('["anthropic-beta","one"],'));
    assert.ok(JSON.stringify(at(request, 'headers')).includes('["x-weir-pipeline","none"]'));

    const { json: conversation } = await call(weir.url, { path: `/v1/recordings/${id}/conversation` });
    const said = streamed ? ' aus 東京' : 'Hello';
    assert.ok(JSON.stringify(at(conversation, 'answer', 'content')).includes(said));
    assert.ok(JSON.stringify(at(conversation, 'request', 'messages')).includes('Hello'));
    assert.deepEqual([conversation.error, conversation.redaction], [null, 'none']);
    const { json: found } = await call(weir.url, {
      path: `/v1/recordings/search?q=${encodeURIComponent(said.toUpperCase())}`,
    });
    assert.equal(at(found, 'matches', 0, 'id'), id);
    assert.ok(String(at(found, 'matches', 0, 'excerpt')).endsWith(said));
  });

test('a recording has what the provider got', async () => {
  const { fake, weir } = await enter(all);
  fake.answerWith({ body: messages.whole('Hello') });
  const own = await recorded(weir.url, requestSentIn(messages, false));
  assert.partialDeepStrictEqual(own.recording.json.provider_request, {
    ...{ provider: 'anthropic', wire_format: 'anthropic-messages', unchanged: true, body: '' },
    truncated: false,
  });
  const body = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hi' }] };
  const translated = await recorded(weir.url, { path: '/v1/chat/completions', body });
  assert.partialDeepStrictEqual(translated.recording.json.provider_request, {
    ...{ provider: 'anthropic', wire_format: 'anthropic-messages', unchanged: false, truncated: false },
    body: fake.last.bytes.toString(),
  });
  const { json } = await call(weir.url, { path: `/v1/recordings/${translated.id}/conversation` });
  assert.equal(at(json, 'request', 'messages', 0, 'content'), 'Hi');
  assert.ok(Number(at(json, 'provider_request', 'max_tokens')) > 0);
  const local = await recorded(weir.url, { path: messages.path, body: { ...body, model: 'demo-1' } });
  assert.equal(local.recording.json.provider_request, null);
});

const secret = 'ada.lovelace@example.org';

for (const { format, streamed, manner } of framings)
  test(`what guardrails mask stays masked in a recording (${manner})`, async () => {
    const { fake, weir } = await enter(all);
    const said = 'Write to <EMAIL_1>, please';
    fake.answerWith({
      headers: { 'content-type': streamed ? 'text/event-stream' : 'application/json' },
      body: streamed ? streamIn(format, said) : format.whole(said),
    });
    const body = JSON.stringify(requestIn(format, streamed)).replace('Hello', `Hello ${secret}`);
    const headers = ['x-weir-pipeline', 'guardrails'];
    const path = pathOf(format, streamed);
    const { answer, id, recording } = await recorded(weir.url, { path, body: Buffer.from(body), headers });
    assert.ok(answer.text.includes(secret), 'the client gets the value');
    assert.ok(fake.last.bytes.includes('<EMAIL_1>'));
    assert.equal(recording.json.redaction, 'masked');
    assert.ok(!recording.text.includes('lovelace'));
    const conversation = await call(weir.url, { path: `/v1/recordings/${id}/conversation` });
    assert.ok(!conversation.text.includes('lovelace'));
    assert.ok(JSON.stringify(conversation.json.request).includes('Hello <EMAIL_1>'));
    assert.equal(at(conversation.json, 'answer', 'content', 0, 'text'), said);
  });

test('what modules leave out before a redaction is not recorded either', async () => {
  const { fake, weir } = await enter(all);
  fake.answerWith({ body: messages.whole('Hello') });
  const turns = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: index === 0 ? `Mail ${secret}. ${'Old words. '.repeat(900)}` : 'New words. '.repeat(300),
  }));
  const body = { ...requestIn(messages, false), messages: [...turns, { role: 'user', content: 'Go on' }] };
  const headers = ['x-weir-pipeline', 'ipc?target=4000,guardrails'];
  const { recording } = await recorded(weir.url, { path: messages.path, body, headers });
  assert.ok(fake.last.bytes.byteLength < JSON.stringify(body).length / 2, 'ipc shortens it');
  assert.equal(recording.json.redaction, 'masked');
  assert.ok(!recording.text.includes('lovelace'));
});

test('what a redacting module has not passed on is not recorded', async () => {
  const { fake, weir } = await enter(all);
  fake.answerWith({ body: messages.whole('Mail <EMAIL_1>') });
  const body = { ...requestIn(messages, false), messages: [{ role: 'user', content: `Mail ${secret}` }] };
  const asked = (pipeline: string) =>
    recorded(weir.url, { path: messages.path, body, headers: ['x-weir-pipeline', pipeline] });
  const blocked = await asked('guardrails?pii=block');
  assert.equal(blocked.answer.status, 400);
  const cached = 'exact-cache,guardrails';
  await asked(cached);
  const hit = await asked(cached);
  assert.equal(hit.answer.headers['x-weir-cache'], 'hit');
  for (const { recording } of [blocked, hit]) {
    assert.equal(recording.json.redaction, 'withheld');
    assert.ok(!recording.text.includes('lovelace'));
    assert.deepEqual(
      [at(recording.json, 'request', 'body'), at(recording.json, 'request', 'truncated')],
      ['', true],
    );
  }
  assert.match(String(at(blocked.recording.json, 'response', 'body')), /EMAIL/);
});

test('the user of a local gateway chooses what is recorded, unless the environment does', async (t) => {
  const WEIR_DATA_DIR = emptyFolder(t);
  const path = '/v1/recordings/settings';
  const ask = (url: string) =>
    recorded(url, { path: '/v1/messages', body: { ...requestIn(messages, false), model: 'demo-1' } });
  const first = await startTestGateway({ WEIR_DATA_DIR, WEIR_RECORD_DAYS: '7' });
  const set = (url: string, record: string) => call(url, { method: 'PUT', path, body: { record } });
  const settings = {
    record: 'off',
    source: 'default',
    sample_rate: 0.01,
    retention_days: 7,
    in_traces: false,
  };
  assert.deepEqual((await call(first.url, { path })).json, settings);
  assert.equal((await ask(first.url)).recording.status, 404);
  assert.deepEqual((await set(first.url, 'all')).json, { ...settings, record: 'all', source: 'stored' });
  assert.equal((await ask(first.url)).recording.status, 200);
  assertError(await set(first.url, 'some'), { status: 400, type: 'invalid_request', param: 'record' });
  await first.close();

  const again = await startTestGateway({ WEIR_DATA_DIR });
  assert.equal((await ask(again.url)).recording.status, 200);
  assert.equal((await set(again.url, 'off')).status, 200);
  assert.equal((await ask(again.url)).recording.status, 404);
  await again.close();

  for (const [environment, named] of [
    [{ WEIR_RECORD: 'off' }, /^WEIR_RECORD decides/],
    [{ WEIR_RECORD_DAYS: '0' }, /^WEIR_RECORD_DAYS=0/],
  ] as const) {
    const ruled = await startTestGateway({ WEIR_DATA_DIR, ...environment });
    const refused = await set(ruled.url, 'all');
    assertError(refused, { status: 409, type: 'invalid_request', code: 'set_by_environment' });
    assert.match(String(at(refused.json, 'error', 'message')), named);
    assert.equal((await ask(ruled.url)).recording.status, 404);
    await ruled.close();
  }
});

test('nothing is recorded unless somebody wants it', async () => {
  const { weir } = await enter();
  for (const headers of [[], ['x-weir-record', 'on']]) {
    const { answer, recording } = await recorded(weir.url, { ...requestSentIn(messages, false), headers });
    assert.equal(answer.headers['x-weir-recorded'], undefined);
    assertError(recording, { status: 404, type: 'not_found' });
  }
  assert.deepEqual((await call(weir.url, { path: '/v1/recordings' })).json, {
    recordings: [],
    has_more: false,
    next_cursor: null,
  });
});

test('a request may keep itself out of the recordings', async () => {
  const { weir } = await enter(all);
  for (const wish of ['off', 'no', 'OFF', 'off, on', '']) {
    const headers = ['x-weir-record', wish];
    const { recording } = await recorded(weir.url, { ...requestSentIn(messages, false), headers });
    assert.equal(recording.status, 404, wish);
  }
});

test('a sample has the share of calls that was asked for, chosen by their ids', async () => {
  const { weir } = await enter({ WEIR_RECORD: 'sample', WEIR_RECORD_SAMPLE: '0.5' });
  const expected: string[] = [];
  for (let calls = 0; calls < 40; calls++) {
    const { headers } = await call(weir.url, requestSentIn(messages, false));
    const id = String(headers['x-request-id']);
    if (Number.parseInt(id.slice(-8), 16) < 0x80000000) expected.unshift(id);
  }
  const { json } = await call(weir.url, { path: '/v1/recordings?limit=200' });
  assert.ok(expected.length > 0 && expected.length < 40);
  assert.deepEqual(idsOf(json), expected);

  const rare = await enter({ WEIR_RECORD: 'sample', WEIR_RECORD_SAMPLE: '0' });
  const request = requestSentIn(messages, false);
  assert.equal((await recorded(rare.weir.url, request)).recording.status, 404);
  const wished = await recorded(rare.weir.url, { ...request, headers: ['x-weir-record', 'on'] });
  assert.equal(wished.recording.status, 200);
});

test('no credential is recorded, whether sent or used', async () => {
  const { weir } = await enter(all);
  const headers = [
    ...['authorization', 'Bearer canary-1', 'x-provider-key', 'sk-ant-api03-canary-2', 'cookie', 'canary-3'],
    ...['x-internal-token', 'canary-4', 'x-forwarded-for', '10.9.8.7'],
  ];
  const { recording } = await recorded(weir.url, { ...requestSentIn(messages, false), headers });
  assert.equal(recording.status, 200);
  assert.ok(!recording.text.includes('canary') && !recording.text.includes(anthropicKey));
  const query = await recorded(weir.url, {
    path: '/v1beta/models/gemini-2.5-flash:generateContent?key=AIza-canary&alt=json',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  });
  assert.equal(at(query.recording.json, 'request', 'path')?.toString().endsWith('?alt=json'), true);
  assert.ok(!query.recording.text.includes('canary'));
});

test('a call that fails is recorded with its error', async () => {
  const { fake, weir } = await enter(all);
  fake.answerWith({ status: 503, body: { type: 'error', error: { type: 'api_error', message: 'no' } } });
  const { answer, recording } = await recorded(weir.url, requestSentIn(messages, true));
  assert.equal(answer.status, 503);
  assert.partialDeepStrictEqual(recording.json, {
    ending: 'failed',
    response: { status: 503, body: answer.text },
  });
  assert.equal(typeof recording.json.error_code, 'string');
});

test('a stream that breaks off is recorded with what the client got', async () => {
  const { fake, weir } = await enter(all);
  const chunks = [...messages.start, messages.content('Hel')];
  fake.answerWith({ chunks, ending: 'cut', headers: sse });
  const { headers } = await brokenCall(weir.url, requestSentIn(messages, true));
  const path = `/v1/recordings/${headers['x-request-id']}`;
  const recording = await eventually(async () => {
    const found = await call(weir.url, { path });
    return found.status === 200 ? found : undefined;
  });
  assert.partialDeepStrictEqual(recording.json, {
    ending: 'failed',
    response: { status: 200, body: chunks.join('') },
  });
});

test('a client that leaves is recorded with what it got', async () => {
  const { fake, weir } = await enter(all);
  fake.answerWith({ chunks: [...messages.start, messages.content('Hello')], ending: 'hang', headers: sse });
  const { request, response } = openCall(weir.url, requestSentIn(messages, true));
  const reader = new StreamReader(await response);
  await eventually(() => reader.text.includes('Hello') || undefined);
  const id = String(reader.response.headers['x-request-id']);
  request.destroy();
  await once(request, 'close');
  const recording = await eventually(async () => {
    const found = await call(weir.url, { path: `/v1/recordings/${id}` });
    return found.status === 200 ? found : undefined;
  });
  assert.partialDeepStrictEqual(recording.json, { ending: 'aborted', response: { body: reader.text } });
});

test('a recording is limited in size, and says so', async () => {
  const { fake, weir } = await enter(all);
  const long = 'x'.repeat(limits.recordedBodyBytesMax);
  const answer = messages.whole(long);
  fake.answerWith({ body: answer });
  const body = { ...requestIn(messages, false), system: long };
  const { recording } = await recorded(weir.url, { path: messages.path, body });
  for (const side of ['request', 'response']) {
    const message = at(recording.json, side);
    assert.equal(at(message, 'truncated'), true);
    assert.equal(String(at(message, 'body')).length, limits.recordedBodyBytesMax);
  }
  assert.equal(at(recording.json, 'request', 'bytes'), JSON.stringify(body).length);
  assert.equal(at(recording.json, 'response', 'bytes'), JSON.stringify(answer).length);
});

test('recordings are listed page by page, and deleted one by one or all at once', async () => {
  const { weir } = await enter({ ...all, WEIR_RECORD_DAYS: '7' });
  const ids: string[] = [];
  for (let calls = 0; calls < 3; calls++)
    ids.unshift((await recorded(weir.url, requestSentIn(messages, false))).id);
  const list = async (query: string) => (await call(weir.url, { path: `/v1/recordings${query}` })).json;
  const first = await list('?limit=2');
  assert.deepEqual([idsOf(first), first.has_more], [ids.slice(0, 2), true]);
  const next = await list(`?limit=2&after=${first.next_cursor}`);
  assert.deepEqual([idsOf(next), next.has_more, next.next_cursor], [ids.slice(2), false, null]);
  const newest = at(first, 'recordings', 0);
  const week = Date.parse(String(at(newest, 'expires_at'))) - Date.parse(String(at(newest, 'created_at')));
  assert.equal(week, 7 * 86_400_000);
  assert.equal((await call(weir.url, { path: '/v1/recordings?after=nonsense' })).status, 400);

  const remove = (path: string) => call(weir.url, { method: 'DELETE', path });
  assert.equal((await remove(`/v1/recordings/${ids[0]}`)).status, 204);
  assertError(await remove(`/v1/recordings/${ids[0]}`), { status: 404, type: 'not_found' });
  assertError(await remove('/v1/recordings/nonsense'), { status: 404, type: 'not_found' });
  assert.deepEqual(idsOf(await list('')), ids.slice(1));
  assert.equal((await remove('/v1/recordings')).status, 204);
  assert.deepEqual(idsOf(await list('')), []);
});

test('with a retention of 0 days nothing is recorded', async () => {
  const { weir } = await enter({ ...all, WEIR_RECORD_DAYS: '0' });
  const { recording } = await recorded(weir.url, {
    ...requestSentIn(messages, false),
    headers: ['x-weir-record', 'on'],
  });
  assert.equal(recording.status, 404);
});

const sse = { 'content-type': 'text/event-stream' };

function idsOf(page: object): readonly unknown[] {
  const list = at(page, 'recordings');
  assert.ok(Array.isArray(list));
  return list.map((item) => at(item, 'id'));
}
