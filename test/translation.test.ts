import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { isJsonObject, type JsonObject } from '../src/kernel/json.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { type Answered, ask } from './support/asking.ts';
import { at } from './support/at.ts';
import { clientDialects } from './support/client-dialects.ts';
import { type ProviderDialect, providerDialects } from './support/provider-dialects.ts';
import { type Feature, features } from './support/translated-features.ts';

const fake = await FakeUpstream.start();
const weir = await startTestGateway({
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_LMSTUDIO_BASE_URL: `${fake.url}/v1`,
  ANTHROPIC_API_KEY: 'sk-ant-tests',
  OPENAI_API_KEY: 'sk-tests',
});

beforeEach(() => {
  fake.requests.length = 0;
});
after(async () => {
  await weir.close();
  await fake.close();
});

type Name = keyof Feature['in'];
const names: readonly Name[] = ['Messages', 'Chat Completions', 'Responses'];
const paths = new Map(clientDialects(weir.url).map(({ name, path }) => [name, path]));
const pairs = names.flatMap((client) =>
  names.filter((provider) => provider !== client).map((provider) => ({ client, provider })),
);
const hello = [{ role: 'user', content: 'Hello' }];
const least: Readonly<Record<Name, JsonObject>> = {
  Messages: { max_tokens: 5000, messages: hello },
  'Chat Completions': { messages: hello },
  Responses: { input: 'Hello' },
};

/** Sends what a client says to a model behind another format. */
function send(pair: { client: Name; provider: Name }, body: JsonObject): Promise<Answered> {
  const { model, whole } = dialectOf(pair.provider);
  if (body.stream !== true) fake.answerWith({ body: whole('Hi.') });
  return ask(`${weir.url}${paths.get(pair.client)}`, { body: { model, ...least[pair.client], ...body } });
}

function dialectOf(name: Name): ProviderDialect {
  const found = providerDialects.find((dialect) => dialect.name === name);
  assert.ok(found !== undefined);
  return found;
}

for (const { what, in: said, of = {} } of features)
  for (const pair of pairs) {
    const { client, provider } = pair;
    const asked = said[client];
    const wanted = said[provider];
    if ('dropped' in asked) continue;

    test(`a ${client} client tells a ${provider} provider ${what}`, async () => {
      const { status, text, headers } = await send(pair, {
        ...asked,
        ...(of[provider] !== undefined && { model: of[provider] }),
      });
      assert.equal(status, 200, text);
      const dropped = headers.get('x-weir-dropped')?.split(', ') ?? [];
      if ('dropped' in wanted) assert.deepEqual(dropped, [wanted.dropped]);
      else {
        assert.deepEqual(dropped, []);
        assert.partialDeepStrictEqual(normal(fake.last.json), normal(wanted));
      }
    });
  }

/** Without what may be left unsaid: that an item is a message, and that a picture is to be looked at as usual. */
function normal(body: JsonObject): JsonObject {
  const text = JSON.stringify(body, (_, value: unknown) => {
    if (!isJsonObject(value)) return value;
    const { type, detail, ...rest } = value;
    return { ...rest, ...(type !== 'message' && { type }), ...(detail !== 'auto' && { detail }) };
  });
  return JSON.parse(text);
}

test('instructions of a developer are a system prompt, wherever the provider wants that', async () => {
  const messages = [{ role: 'developer', content: 'Be kind.' }, ...hello];
  await send({ client: 'Chat Completions', provider: 'Messages' }, { messages });
  assert.equal(fake.last.json.system, 'Be kind.');
  await send({ client: 'Responses', provider: 'Messages' }, { instructions: 'Be brief.', input: messages });
  assert.deepEqual(fake.last.json.system, [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'Be kind.' },
  ]);
});

test('a picture that a tool returned is shown to the model in a message of its own where it has to be', async () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const result = { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'image', source }] };
  const use = { type: 'tool_use', id: 'call_1', name: 'look', input: {} };
  const messages = [...hello, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }];
  await send({ client: 'Messages', provider: 'Chat Completions' }, { messages });
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  assert.equal(at(fake.last.json, 'messages', 2, 'role'), 'tool');
  assert.equal(at(fake.last.json, 'messages', 3, 'content', 1, 'image_url', 'url'), url);
  await send({ client: 'Messages', provider: 'Responses' }, { messages });
  assert.equal(at(fake.last.json, 'input', 2, 'output', 0, 'image_url'), url);
});

test('numbers in what tools were given keep all their digits', async () => {
  const input = '{"id":12345678901234567890,"share":0.25}';
  const use = `{"type":"tool_use","id":"call_1","name":"look","input":${input}}`;
  const messages = `[{"role":"user","content":"Hello"},{"role":"assistant","content":[${use}]}]`;
  for (const [provider, place] of [
    ['Chat Completions', ['messages', 1, 'tool_calls', 0, 'function', 'arguments']],
    ['Responses', ['input', 1, 'arguments']],
  ] as const) {
    const { model, whole } = dialectOf(provider);
    fake.answerWith({ body: whole('Hi.') });
    await ask(`${weir.url}/v1/messages`, {
      body: `{"model":"${model}","max_tokens":100,"messages":${messages}}`,
    });
    assert.equal(at(fake.last.json, ...place), input);
  }
});

test('a signature goes to nobody but its maker, and none is made up', async () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' };
  const messages = [
    ...hello,
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Hi' }] },
    { role: 'user', content: 'And?' },
  ];
  for (const provider of ['Chat Completions', 'Responses'] as const) {
    const { headers } = await send({ client: 'Messages', provider }, { messages });
    assert.equal(headers.get('x-weir-dropped'), 'messages[].content[].thinking');
    assert.doesNotMatch(fake.last.bytes.toString(), /c2lnbmVk|Hm\./);
  }
  const said = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm.' };
  const { headers } = await send(
    { client: 'Chat Completions', provider: 'Messages' },
    { messages: [...hello, said, { role: 'user', content: 'And?' }] },
  );
  assert.equal(headers.get('x-weir-dropped'), 'messages[].content[].thinking');
  assert.deepEqual(at(fake.last.json, 'messages', 1), {
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi' }],
  });
});

test('what can not be expressed is listed, and the rest arrives', async () => {
  const { headers, status } = await send(
    { client: 'Chat Completions', provider: 'Messages' },
    { seed: 7, logit_bias: { '1': 2 }, brand_new: true, 'odd, name': 1 },
  );
  assert.equal(status, 200);
  assert.equal(headers.get('x-weir-dropped'), 'seed, logit_bias, brand_new, odd__name');
  assert.deepEqual(fake.last.json.messages, hello);
  const claude = await send(
    { client: 'Messages', provider: 'Responses' },
    { top_k: 5, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  );
  assert.deepEqual(claude.headers.get('x-weir-dropped')?.split(', ').sort(), [
    'tools[].web_search_20250305',
    'top_k',
  ]);
});

const audio = [
  { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
];
const impossible: readonly { client: Name; what: string; body: JsonObject; param: string }[] = [
  { client: 'Chat Completions', what: 'several answers', body: { n: 2 }, param: 'n' },
  { client: 'Chat Completions', what: 'probabilities', body: { logprobs: true }, param: 'logprobs' },
  {
    client: 'Chat Completions',
    what: 'an answer as sound',
    body: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    param: 'modalities',
  },
  {
    client: 'Chat Completions',
    what: 'a question as sound',
    body: { messages: audio },
    param: 'messages[].content[].input_audio',
  },
  { client: 'Responses', what: 'probabilities', body: { top_logprobs: 3 }, param: 'top_logprobs' },
  {
    client: 'Responses',
    what: 'a question as sound',
    body: { input: audio },
    param: 'input[].content[].input_audio',
  },
  {
    client: 'Responses',
    what: 'an answer to be fetched later',
    body: { background: true },
    param: 'background',
  },
  {
    client: 'Responses',
    what: 'a stored conversation',
    body: { conversation: 'conv_1' },
    param: 'conversation',
  },
];

for (const { client, what, body, param } of impossible)
  for (const pair of pairs.filter((candidate) => candidate.client === client))
    for (const stream of [false, true])
      test(`a ${client} client that wants ${what}${stream ? ' in a stream' : ''} is refused by a ${pair.provider} provider before anything is sent`, async () => {
        const { status, json, headers } = await send(pair, { ...body, stream });
        assert.equal(status, 400);
        assert.match(headers.get('content-type') ?? '', /^application\/json/);
        assert.equal(at(json, 'error', 'code'), 'format_not_supported');
        assert.equal(at(json, 'error', 'type'), 'invalid_request_error');
        assert.equal(at(json, 'error', 'param'), param);
        assert.equal(fake.requests.length, 0);
      });
