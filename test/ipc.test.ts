import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { type Answered, call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { messages as format } from './support/formats.ts';
import { providerDialects } from './support/provider-dialects.ts';
import { replicated } from './support/replicas.ts';

const fake = await FakeUpstream.start();
const weir = await startTestGateway({ WEIR_ANTHROPIC_BASE_URL: fake.url, ANTHROPIC_API_KEY: 'sk-ant-tests' });
after(async () => {
  await weir.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
  fake.answerWith({ body: format.whole('Yes.') });
});

const pipeline = 'ipc?target=2000&keep_turns=2';
const said = Array.from({ length: 120 }, (_, turn) => ({
  role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `Turn ${turn}: the harbour of town ${turn * 13} has ${turn * 7} boats, and somebody counted them twice.`,
}));
const messages = [...said, { role: 'user' as const, content: 'How many boats has town 130?' }];
const body = { model: format.model, max_tokens: 100, messages };

function found(answer: Answered): Answered | undefined {
  return answer.status === 200 ? answer : undefined;
}

test('what is left out can be read, by its account alone, and forgotten', async () => {
  const headers = ['x-weir-pipeline', pipeline, 'x-weir-conversation', 'harbours'];
  const answer = await call(weir.url, { path: '/v1/messages', headers, body });
  assert.equal(answer.status, 200, answer.text);
  assert.match(String(answer.headers['x-weir-modules']), /ipc;tokens=\d+\/\d+/);
  const record = String(at(fake.requests[0]?.json, 'messages', 0, 'content', 0, 'text'));
  const ref = /the whole is kept as (\w+)/.exec(record)?.[1] ?? assert.fail(record);
  const path = `/v1/archive/${ref}`;
  const { json } = await eventually(async () => found(await call(weir.url, { path })));
  assert.deepEqual([json.ref, json.conversation], [ref, 'harbours']);
  assert.match(String(json.createdAt), /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(at(json, 'content', 20), said[20]);
  assert.equal((await call(weir.url, { path: '/v1/archive/nothing' })).status, 404);
  assert.equal((await call(weir.url, { method: 'DELETE', path: '/v1/archive' })).status, 400);
  const all = '/v1/archive?conversation=harbours';
  assert.equal((await call(weir.url, { method: 'DELETE', path: all })).status, 204);
  assert.equal((await call(weir.url, { path })).status, 404);
  assert.equal((await call(weir.url, { method: 'DELETE', path })).status, 404);
});

test('a stream in which the model recalls something is one answer for the SDK', async () => {
  const {
    opening,
    text,
    call: calling,
    closing,
  } = providerDialects.find(({ name }) => name === 'Messages') ?? assert.fail();
  fake.answerWith(({ bytes }) => ({
    headers: { 'content-type': 'text/event-stream' },
    chunks: bytes.includes('recall_1')
      ? [opening, text('It has 70.'), closing('said')]
      : [opening, calling({ id: 'recall_1', name: 'recall' }, '{"query": "town 130"}'), closing('called')],
  }));
  const anthropic = new Anthropic({
    baseURL: weir.url,
    apiKey: 'any',
    maxRetries: 0,
    defaultHeaders: { 'x-weir-pipeline': pipeline },
  });
  const answer = await anthropic.messages.stream(body).finalMessage();
  assert.deepEqual(
    answer.content.map((block) => block.type === 'text' && block.text),
    ['It has 70.'],
  );
  const [first, second] = fake.requests;
  assert.ok((first?.bytes.length ?? 0) < JSON.stringify(body).length / 1.4);
  assert.match(String(second?.bytes), /Turn 10: the harbour of town 130 has 70 boats/);
});

test('accounts on PostgreSQL see their own archive and no other', async (t) => {
  const cloud = await startCloud(t, await replicated(t, { WEIR_ANTHROPIC_BASE_URL: fake.url }));
  const [ann, bob] = [await Person.signUp(cloud.url), await Person.signUp(cloud.url)];
  const headers = [
    ...bearer((await ann.makeKey()).key),
    'x-weir-pipeline',
    pipeline,
    'x-provider-key',
    'sk-ant-api03-anns',
  ];
  assert.equal((await call(cloud.url, { path: '/v1/messages', headers, body })).status, 200);
  const record = String(at(fake.requests[0]?.json, 'messages', 0, 'content', 0, 'text'));
  const path = `/v1/archive/${/kept as (\w+)/.exec(record)?.[1] ?? ''}`;
  await eventually(async () => found(await ann.call({ path })));
  assert.equal((await bob.call({ path })).status, 404);
  assert.equal((await bob.call({ method: 'DELETE', path })).status, 404);
  assert.equal((await ann.call({ method: 'DELETE', path })).status, 204);
});
