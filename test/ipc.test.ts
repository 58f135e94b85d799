import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { clientDialects } from './support/client-dialects.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { messages as format } from './support/formats.ts';
import { providerDialects } from './support/provider-dialects.ts';
import { replicaSettings } from './support/replicas.ts';

const fake = await FakeUpstream.start();
const environment = {
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_LMSTUDIO_BASE_URL: `${fake.url}/v1`,
  WEIR_GEMINI_BASE_URL: fake.url,
  WEIR_EMBEDDINGS: 'off',
};
const weir = await startTestGateway({
  ...environment,
  ANTHROPIC_API_KEY: 'sk-ant-tests',
  OPENAI_API_KEY: 'sk-tests',
  GEMINI_API_KEY: 'AIza-tests',
});
after(async () => {
  await weir.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
  fake.answerWith({ body: format.whole('Yes.') });
});

const pipeline = 'ipc?target=2000&keep_turns=2&holdout=0';
const said = Array.from({ length: 120 }, (_, turn) => ({
  role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `Turn ${turn}: the harbour of town ${turn * 13} has ${turn * 7} boats, and somebody counted them twice.`,
}));
const messages = [...said, { role: 'user' as const, content: 'How many boats has town 130?' }];
const body = { model: format.model, max_tokens: 100, messages };

function found(answer: RawAnswer): RawAnswer | undefined {
  return answer.status === 200 ? answer : undefined;
}

test('what is left out can be read, by its account alone and for its person, and forgotten', async () => {
  const headers = ['x-weir-pipeline', pipeline, 'x-weir-conversation', 'harbours'];
  const metadata = { user_id: 'user_ann' };
  const answer = await call(weir.url, { path: '/v1/messages', headers, body: { ...body, metadata } });
  assert.equal(answer.status, 200, answer.text);
  assert.match(String(answer.headers['x-weir-modules']), /ipc;tokens=\d+\/\d+/);
  const record = String(at(fake.requests[0]?.json, 'messages', 0, 'content', 0, 'text'));
  const ref = /the whole is kept as (\w+)/.exec(record)?.[1] ?? assert.fail(record);
  const path = `/v1/archive/${ref}`;
  const { json } = await eventually(async () => found(await call(weir.url, { path })));
  assert.deepEqual([json.ref, json.conversation], [ref, 'harbours']);
  assert.match(String(json.createdAt), /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(at(json, 'content', 20), said[20]);
  const listed = await call(weir.url, { path: '/v1/archive' });
  const named = (listed.json.conversations as { conversation: string }[]).map(
    ({ conversation }) => conversation,
  );
  assert.ok(named.includes('harbours'), listed.text);
  const items = await call(weir.url, { path: '/v1/archive/conversations/harbours' });
  assert.ok(at(items.json, 'items', 0, 'isPersonal'), items.text);
  assert.equal((await call(weir.url, { path: '/v1/archive/nothing' })).status, 404);
  assert.equal((await call(weir.url, { method: 'DELETE', path: '/v1/archive' })).status, 400);
  const all = '/v1/archive?conversation=harbours';
  assert.equal((await call(weir.url, { method: 'DELETE', path: `${all}&user=user_bob` })).status, 204);
  assert.equal((await call(weir.url, { path: `${path}?user=user_bob` })).status, 404);
  assert.equal((await call(weir.url, { path: `${path}?user=user_ann` })).status, 200);
  assert.equal((await call(weir.url, { method: 'DELETE', path: `${all}&user=user_ann` })).status, 204);
  assert.equal((await call(weir.url, { path })).status, 404);
  assert.equal((await call(weir.url, { method: 'DELETE', path })).status, 404);
});

test('a result that is shortened says under which name it can be read', async () => {
  const turns = Array.from({ length: 12 }, (_, turn) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `call_${turn}`, name: 'read', input: { turn } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `call_${turn}`, content: `file ${turn}\n${log(turn)}` }],
    },
  ]);
  const long = { ...body, messages: [{ role: 'user', content: 'Read on.' }, ...turns.flat()] };
  const headers = ['x-weir-pipeline', 'ipc?target=3500&keep_turns=2&holdout=0'];
  const answer = await call(weir.url, { path: '/v1/messages', headers, body: long });
  assert.equal(answer.status, 200, answer.text);
  const [, ref = ''] = /left out by the gateway, kept as (\w+)/.exec(String(fake.requests[0]?.bytes)) ?? [];
  const { json } = await eventually(async () => found(await call(weir.url, { path: `/v1/archive/${ref}` })));
  const [message] = Array.isArray(json.content) ? json.content : [];
  assert.ok(turns.flat().some((one) => isDeepStrictEqual(one, message)));
});

function log(turn: number): string {
  return Array.from({ length: 60 }, (_, line) => `line ${line} of ${turn}, ${line * 31 + turn} bytes`).join(
    '\n',
  );
}

test('what is too long even so is told in the words of its provider, in each format', async () => {
  const contents = messages.map(({ role, content }) => ({
    role: role === 'user' ? 'user' : 'model',
    parts: [{ text: content }],
  }));
  const input = messages.map(({ role, content }) => ({
    type: role === 'user' ? 'user_input' : 'model_output',
    content: [{ type: 'text', text: content }],
  }));
  for (const [nth, client] of clientDialects(weir.url).entries())
    for (const { name, model, refusal } of providerDialects) {
      const headers = ['x-weir-pipeline', pipeline, 'x-weir-conversation', `${name.slice(0, 4)}-${nth}`];
      fake.requests.length = 0;
      const words = `This model's maximum context length is 9 tokens, says ${name}.`;
      const script = refusal(400, words);
      fake.answerWith(script);
      const path = client.path(model, false);
      const said = { Responses: { input: messages }, Gemini: { contents }, Interactions: { input } }[
        client.name
      ] ?? {
        messages,
        max_tokens: 100,
      };
      const asked = { ...(client.name !== 'Gemini' && { model }), ...said };
      const answer = await call(weir.url, { path, headers, body: asked });
      const pair = `${client.name} to ${name}: ${answer.text}`;
      assert.equal(answer.status, 400, pair);
      assert.ok(String(at(answer.json, 'error', 'message')).includes(words), pair);
      if (client.name === name) assert.deepEqual(answer.json, script.body, pair);
      const [first = 0, second = 0, ...others] = fake.requests.map(({ bytes }) => bytes.length);
      assert.ok(second > 0 && second < first && others.length === 0, `${pair} ${first} ${second}`);
      if (nth > 0) continue;
      // Who asks again is not answered with the same request twice.
      await call(weir.url, { path, headers, body: asked });
      assert.equal(fake.requests.length, 3, pair);
    }
});

describe('a model that writes records', () => {
  const cloud = startTestGateway({ ...environment, WEIR_MODE: 'cloud' });
  after(async () => (await cloud).close());
  const record = 'THE RECORD: all boats were counted twice.';
  const stored = 'sk-ant-api03-stored-by-ann';
  const brought = ['x-provider-key', 'sk-ant-api03-brought-along'];

  /** Somebody whose conversation comes near its target, and then past it. */
  async function talked(pipelineConfig: string, isStored: boolean) {
    const { url } = await cloud;
    const ann = await Person.signUp(url);
    if (isStored) await ann.call({ method: 'PUT', path: '/v1/byok/anthropic', body: { key: stored } });
    const headers = [...bearer((await ann.makeKey({ pipelineConfig })).key), ...brought];
    fake.requests.length = 0;
    fake.answerWith(({ bytes }) => ({
      body: format.whole(bytes.includes('You keep the record') ? record : 'Yes.'),
    }));
    const written = () => fake.requests.filter(({ bytes }) => bytes.includes('You keep the record'));
    const saying = async (turns: number) => {
      const asked = { ...body, messages: [...said.slice(0, turns), ...messages.slice(-1)] };
      const { status, text } = await call(url, { path: '/v1/messages', headers, body: asked });
      assert.equal(status, 200, text);
    };
    await saying(80);
    return { ann, written, saying };
  }

  test('is asked before they are needed, with the stored key, as the module’s own call', async () => {
    const { ann, written, saying } = await talked('ipc?target=2400&keep_turns=2&holdout=0&style=model', true);
    const row = await eventually(async () => {
      const { json } = await ann.call({ path: '/v1/requests' });
      const rows: readonly unknown[] = Array.isArray(json.requests) ? json.requests : [];
      return rows.find((one) => at(one, 'asked_by') === 'ipc');
    });
    assert.deepEqual(
      written().map(({ headers }) => headers['x-api-key']),
      [stored],
    );
    assert.equal(String(at(fake.requests[0]?.json, 'messages', 0, 'content')), said[0]?.content);
    await saying(120);
    assert.match(String(fake.requests.at(-1)?.bytes), /THE RECORD: all boats were counted twice/);
    const { json } = await ann.call({ path: '/v1/usage' });
    const [spent] = Array.isArray(json.modules) ? json.modules : [];
    assert.deepEqual([spent?.module, spent?.spent_usd], ['ipc', at(row, 'cost_usd')]);
  });

  test('is not asked with a key that came with a request, nor past a ceiling: then records are extracts', async () => {
    const options = 'ipc?target=2400&keep_turns=2&holdout=0&style=model&model=claude-opus-4-1';
    for (const [pipelineConfig, isStored] of [
      [options, false],
      [`${options},cost-guard?request=0.05`, true],
    ] as const) {
      const { written, saying } = await talked(pipelineConfig, isStored);
      await saying(120);
      assert.match(String(fake.requests.at(-1)?.bytes), /the whole is kept as/);
      assert.deepEqual(written(), []);
    }
  });
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
  const cloud = await startCloud(t, await replicaSettings(t, { WEIR_ANTHROPIC_BASE_URL: fake.url }));
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
