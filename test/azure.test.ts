import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { AzureOpenAI } from 'openai';
import { readSettings, SettingsError } from '../src/gateway/settings.ts';
import { Secret } from '../src/kernel/secret.ts';
import { AccessTokens } from '../src/providers/access-tokens.ts';
import { azure } from '../src/providers/azure.ts';
import { departureOf } from '../src/providers/departure.ts';
import { Egress } from '../src/providers/egress.ts';
import { FakeUpstream, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { openaiChat } from '../src/wire/index.ts';
import { objectsOf } from '../src/wire/read.ts';
import { assertError } from './support/assert-error.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { providerDialects } from './support/provider-dialects.ts';

const key = 'azure0key0of0the0operator';
const fake = await FakeUpstream.start();
const weir = await startTestGateway({
  WEIR_AZURE_BASE_URL: `${fake.url}/openai`,
  WEIR_AZURE_DEPLOYMENTS: 'house=gpt-5-mini,old=gpt-4o',
  WEIR_AZURE_RESOURCES: 'mine,yours',
  AZURE_OPENAI_API_KEY: key,
});
const said = { role: 'user' as const, content: 'Hello' };
const chat = { model: 'azure/house', messages: [said] };
const [, completions, responses] = providerDialects;

beforeEach(() => {
  fake.requests.length = 0;
  fake.answerWith(({ url }) => ({
    body: (url.includes('responses') ? responses : completions)?.whole('Hi.') ?? {},
  }));
});
after(async () => {
  await weir.close();
  await fake.close();
});

/** What Azure is told of who calls and what for. */
function seen({ method, url, headers, json }: SeenRequest) {
  const { 'api-key': apiKey, authorization } = headers;
  return {
    method,
    url,
    apiKey,
    authorization,
    model: json.model,
    messages: json.messages,
    input: json.input,
  };
}

describe('a call to Azure is the one that its own SDK makes', () => {
  const version = '2024-10-21';
  const token = 'eyJhbGciOi.eyJzdWIi.c2lnbmVk';

  for (const [how, sdk, credential] of [
    [
      'with a key, in the dated API',
      new AzureOpenAI({ endpoint: fake.url, apiKey: key, apiVersion: version, maxRetries: 0 }),
      { resource: 'mine', key, apiVersion: version },
    ],
    [
      'with a token of Entra, in the dated API',
      new AzureOpenAI({
        endpoint: fake.url,
        azureADTokenProvider: async () => token,
        apiVersion: version,
        maxRetries: 0,
      }),
      { resource: 'yours', token, apiVersion: version },
    ],
    [
      'with a token of Entra, in the API without dates',
      new OpenAI({ baseURL: `${fake.url}/openai/v1`, apiKey: token, maxRetries: 0 }),
      { resource: 'MINE', token },
    ],
  ] as const)
    test(how, async () => {
      const headers = { 'x-provider-key': `azure=${JSON.stringify(credential)}` };
      const client = new OpenAI({
        baseURL: `${weir.url}/v1`,
        apiKey: 'any',
        maxRetries: 0,
        defaultHeaders: headers,
      });
      await sdk.chat.completions.create({ ...chat, model: 'house' });
      const answer = await client.chat.completions.create(chat);
      assert.equal(answer.choices[0]?.message.content, 'Hi.');
      await sdk.responses.create({ model: 'house', input: 'Hello' });
      assert.equal(
        (await client.responses.create({ model: 'azure/house', input: 'Hello' })).output_text,
        'Hi.',
      );
      const [chatBySdk, byUs, responseBySdk, responseByUs] = fake.requests.map(seen);
      assert.deepEqual(byUs, chatBySdk);
      assert.deepEqual(responseByUs, responseBySdk);
    });

  test('with the operator’s key, to the first resource that is allowed', async () => {
    const { status, headers } = await call(weir.url, { path: '/v1/chat/completions', body: chat });
    assert.equal(status, 200);
    const { url, apiKey, model } = seen(fake.last);
    assert.deepEqual([url, apiKey, model], ['/openai/v1/chat/completions', key, 'house']);
    // 10 tokens at 0.25 and 5 at 2 dollars a million.
    assert.equal(headers['x-weir-cost-usd'], '0.0000125');
  });
});

test('names of deployments stand for their models: what these take, and what they cost', async () => {
  const anthropic = new Anthropic({ baseURL: weir.url, apiKey: 'any', maxRetries: 0 });
  const asked = { max_tokens: 100, temperature: 0.5, messages: [said] };
  await anthropic.messages.create({ ...asked, model: 'azure/old' });
  assert.deepEqual(
    [fake.last.json.max_completion_tokens, fake.last.json.temperature, fake.last.json.max_tokens],
    [100, 0.5, undefined],
  );
  await anthropic.messages.create({ ...asked, model: 'azure/house' });
  assert.equal(fake.last.json.temperature, undefined);
  // A name that nobody explained costs what the model costs that says it has answered.
  const body = { ...completions?.whole('Hi.'), model: 'gpt-4o-2024-08-06' };
  fake.answerWith({ body });
  const unknown = await call(weir.url, {
    path: '/v1/chat/completions',
    body: { ...chat, model: 'azure/some-name' },
  });
  assert.equal(unknown.headers['x-weir-cost-usd'], '0.000075');
});

test('models at clouds are asked for by the cloud’s name, and listed where the customer named them', async () => {
  const listed = await call(weir.url, { path: '/v1/models' });
  const ids = objectsOf(listed.json.data).map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => String(id).startsWith('azure/')),
    ['azure/house', 'azure/old'],
  );
  for (const model of ['house', 'claude-opus-4-1@20250805', 'amazon.nova-lite-v1:0']) {
    const { status, json } = await call(weir.url, { path: '/v1/chat/completions', body: { ...chat, model } });
    assert.ok(status === 404 || at(json, 'error', 'code') === 'provider_key_missing', `${model}: ${status}`);
  }
  assert.equal(fake.requests.length, 0);
});

test('no key leads anywhere but to Azure, and none is quoted', async () => {
  const evil = [
    'evil.example',
    'a/b',
    'a@b',
    'a:80',
    'a#',
    'a?',
    '../x',
    'ä',
    '',
    '-a',
    'other',
    'a'.repeat(70),
  ];
  const credentials = [
    ...evil.map((resource) => ({ resource, key: 'sssecret' })),
    { key: 'sssecret', resource: 'mine', apiVersion: '2024-10-21&x=1' },
    { resource: 'mine' },
    { resource: 'mine', key: 'sssecret', token: 'sssecret' },
    { resource: 'mine', key: 'sssecret two words' },
    { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'sssecret', region: 'eu-west-1' },
  ];
  for (const credential of credentials) {
    const sent = { path: '/v1/chat/completions', body: chat };
    const given = await call(weir.url, {
      ...sent,
      headers: ['x-provider-key', Buffer.from(`azure=${JSON.stringify(credential)}`).toString('latin1')],
    });
    assert.equal(given.status, 400, JSON.stringify(credential));
    const stored = await call(weir.url, {
      method: 'PUT',
      path: '/v1/byok/azure',
      body: { key: JSON.stringify(credential) },
    });
    assertError(stored, { status: 400, type: 'invalid_request', param: 'key' });
    assert.ok(!`${given.text}${stored.text}${weir.logLines.join('')}`.includes('sssecret'));
  }
  for (const model of ['azure/..', 'azure/a%2Fb', 'azure/a?x=1', 'azure/a/b'])
    assert.equal(
      (await call(weir.url, { path: '/v1/chat/completions', body: { ...chat, model } })).status,
      404,
    );
  // What has the form of a key for clouds goes to no other vendor.
  const elsewhere = await call(weir.url, {
    path: '/v1/chat/completions',
    headers: ['x-provider-key', '{"resource":"mine","key":"sssecret"}'],
    body: { ...chat, model: 'gpt-4o' },
  });
  assert.equal(at(elsewhere.json, 'error', 'code'), 'provider_key_mismatch');
  assert.equal(fake.requests.length, 0);
});

test('addresses are made of a fixed pattern, and no others are connected to', async () => {
  const egress = new Egress([], 1000);
  const means = new AccessTokens({ egress, clock: { now: () => 0 }, tokenUrl: '' });
  const draft = {
    provider: azure,
    method: 'POST' as const,
    asks: { wire: openaiChat, model: 'house', streamed: false },
    path: '/chat/completions?api-version=evil',
    headers: [],
    body: new Uint8Array(0),
  };
  const { baseUrl, path } = await departureOf(draft, new Secret('{"resource":"any-1","key":"k"}'), means);
  assert.deepEqual([baseUrl, path], ['https://any-1.openai.azure.com/openai', '/v1/chat/completions']);
  assert.equal(egress.to(azure, baseUrl), egress.to(azure, baseUrl));
  for (const wrong of [
    'https://evil.example/openai',
    'https://a.openai.azure.com.evil.example/openai',
    azure.baseUrl,
  ])
    assert.throws(() => egress.to(azure, wrong), /nobody may connect/);
  await egress.close();
});

test('a stored key is tried without cost, and shown by the end of its secret alone', async () => {
  const put = (stored: object) =>
    call(weir.url, { method: 'PUT', path: '/v1/byok/azure', body: { key: JSON.stringify(stored, null, 2) } });
  const tried = () => call(weir.url, { method: 'POST', path: '/v1/byok/azure/test', body: {} });
  assert.equal((await put({ resource: 'mine', key: 'a-long-enough-key-1234' })).json.hint, '1234');
  assert.deepEqual((await tried()).json, { ok: true, detail: 'Azure OpenAI takes the key' });
  assert.deepEqual([fake.last.method, fake.last.url], ['GET', '/openai/v1/models']);
  fake.answerWith({
    status: 401,
    body: { error: { code: '401', message: 'Access denied: a-long-enough-key-1234' } },
  });
  assert.deepEqual((await tried()).json, { ok: false, detail: 'Azure OpenAI refuses the key (401)' });
  const refused = await call(weir.url, { path: '/v1/messages', body: { ...chat, max_tokens: 5 } });
  assert.equal(refused.status, 401);
  assert.match(refused.text, /Access denied: \[secret\]/);
  const relayed = await call(weir.url, { path: '/v1/chat/completions', body: chat });
  assert.deepEqual([relayed.status, relayed.text.includes('a-long-enough-key-1234')], [401, false]);
  const message = `${'x'.repeat(1990)}a-long-enough-key-1234`;
  fake.answerWith({ status: 401, body: { error: { code: '401', message } } });
  const cut = await call(weir.url, { path: '/v1/messages', body: { ...chat, max_tokens: 5 } });
  assert.ok(!cut.text.includes('a-long-e'));
  await call(weir.url, { method: 'DELETE', path: '/v1/byok/azure' });
});

test('the gateway does not start with a key that has another form', () => {
  assert.throws(
    () => readSettings({ AZURE_API_KEY: 'sssecret' }),
    (error) =>
      error instanceof SettingsError &&
      /^AZURE_API_KEY: .*names no resource/.test(error.message) &&
      !error.message.includes('sssecret'),
  );
});
