import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import Anthropic, { toFile as toAnthropicFile } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call, openCall } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { keyOf, ProviderFiles } from './support/provider-files.ts';

const fake = await FakeUpstream.start();
const files = new ProviderFiles();
const addresses = {
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_GROQ_BASE_URL: `${fake.url}/groq`,
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_GEMINI_BASE_URL: fake.url,
};
const weir = await startTestGateway({
  ...addresses,
  OPENAI_API_KEY: 'sk-tests-openai',
  GROQ_API_KEY: 'gsk_tests',
  ANTHROPIC_API_KEY: 'sk-ant-tests',
  GEMINI_API_KEY: 'AIza-tests',
});
const cloud = await startTestGateway({ WEIR_MODE: 'cloud', ...addresses });
after(async () => {
  await Promise.all([weir.close(), cloud.close()]);
  await fake.close();
});
beforeEach(() => {
  files.clear();
  fake.requests.length = 0;
  fake.answerWith((request) => files.answer(request));
});

async function logged(): Promise<Record<string, unknown>> {
  const { json } = await call(weir.url, { path: '/v1/requests?limit=1' });
  const [newest] = Array.isArray(json.requests) ? json.requests : [];
  return { ...newest };
}

test("OpenAI's SDK uploads, reads, lists and deletes files", async () => {
  const client = new OpenAI({ baseURL: `${weir.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const file = await client.files.create({
    file: await toFile(Buffer.from('It rises.'), 'river.txt'),
    purpose: 'user_data',
  });
  assert.equal((await client.files.retrieve(file.id)).filename, 'river.txt');
  assert.equal(await (await client.files.content(file.id)).text(), 'It rises.');
  assert.deepEqual(
    (await client.files.list()).data.map(({ id }) => id),
    [file.id],
  );
  assert.equal((await client.files.delete(file.id)).deleted, true);
  await assert.rejects(client.files.retrieve(file.id), { status: 404 });
  const { wire_format: format, provider, status } = await logged();
  assert.deepEqual([format, provider, status], ['files', 'openai', 404]);
});

test("Anthropic's SDK does the same at the same paths, and Google's at its own", async () => {
  const anthropic = new Anthropic({ baseURL: weir.url, apiKey: 'none', maxRetries: 0 });
  const file = await anthropic.beta.files.upload({
    file: await toAnthropicFile(Buffer.from('It falls.'), 'river.txt'),
    betas: ['files-api-2025-04-14'],
  });
  assert.match(file.id, /^file_/);
  assert.equal(fake.last.headers['anthropic-beta'], 'files-api-2025-04-14');
  assert.equal((await anthropic.beta.files.retrieveMetadata(file.id)).filename, 'river.txt');
  assert.equal(await (await anthropic.beta.files.download(file.id)).text(), 'It falls.');
  await anthropic.beta.files.delete(file.id);
  await assert.rejects(anthropic.beta.files.retrieveMetadata(file.id), { status: 404 });

  const google = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: weir.url } });
  const uploaded = await google.files.upload({
    file: new Blob(['It freezes.']),
    config: { mimeType: 'text/plain' },
  });
  const name = String(uploaded.name);
  assert.match(name, /^files\/abc/);
  assert.equal((await google.files.get({ name })).state, 'ACTIVE');
  const content = await call(weir.url, { path: `/v1beta/${name}:download?alt=media` });
  assert.equal(content.text, 'It freezes.');
  await google.files.delete({ name });
  await assert.rejects(google.files.get({ name }), { status: 404 });
});

test('bytes follow at the gateway where Google names its own address', async () => {
  const { headers } = await call(weir.url, {
    path: '/upload/v1beta/files',
    headers: ['x-goog-upload-protocol', 'resumable', 'x-goog-upload-command', 'start'],
    body: {},
  });
  assert.equal(
    headers['x-goog-upload-url'],
    `${weir.url}/upload/v1beta/files?upload_id=u1&upload_protocol=resumable`,
  );
});

/** Uploads a file without an SDK. */
function upload(url: string, headers: readonly string[], content = 'x') {
  return call(url, {
    path: '/v1/files',
    headers: ['content-type', 'multipart/form-data; boundary=b', ...headers],
    body: `--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${content}\r\n--b--\r\n`,
  });
}

test('a file goes back to the provider that has it', async () => {
  const { json } = await upload(weir.url, ['x-weir-provider', 'groq']);
  assert.equal(fake.last.url, '/groq/files');
  const path = `/v1/files/${String(json.id)}`;
  assert.equal((await call(weir.url, { path })).status, 200);
  assert.equal(fake.last.url, `/groq/files/${String(json.id)}`);
  // A local user may also ask for files that were made elsewhere.
  assert.equal((await call(weir.url, { path: '/v1/files/file-elsewhere' })).status, 404);
  assert.equal(fake.last.url, '/v1/files/file-elsewhere');
});

test('a file belongs to the account that made it, even where both use the same provider key', async () => {
  const [ann, bob] = [await Person.signUp(cloud.url), await Person.signUp(cloud.url)];
  const headersOf = async (person: Person) => [
    ...bearer((await person.makeKey()).key),
    'x-provider-key',
    'sk-shared',
  ];
  const [ofAnn, ofBob] = [await headersOf(ann), await headersOf(bob)];
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) ids.push(String((await upload(cloud.url, ofAnn)).json.id));
  const asked = fake.requests.length;
  const [first = ''] = ids;
  for (const sent of [
    { path: `/v1/files/${first}` },
    { path: `/v1/files/${first}/content` },
    { method: 'DELETE', path: `/v1/files/${first}` },
    { path: '/v1/files/file-elsewhere' },
    { path: '/v1/files/%00' },
  ] as const) {
    const refused = await call(cloud.url, { ...sent, headers: ofBob });
    assert.equal(refused.status, 404, `${sent.path} ${refused.text}`);
    assert.equal(at(refused.json, 'error', 'type'), 'invalid_request_error');
  }
  assert.deepEqual((await call(cloud.url, { path: '/v1/files', headers: ofBob })).json, {
    object: 'list',
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  });
  assert.equal(fake.requests.length, asked);
  assert.equal((await call(cloud.url, { path: `/v1/files/${first}`, headers: ofAnn })).status, 200);
  assert.equal((await call(cloud.url, { path: '/v1/files' })).status, 401);

  const client = new OpenAI({
    baseURL: `${cloud.url}/v1`,
    apiKey: 'none',
    defaultHeaders: { authorization: ofAnn[1] ?? '', 'x-provider-key': 'sk-shared' },
    maxRetries: 0,
  });
  const listed: string[] = [];
  for await (const { id } of client.files.list({ limit: 2 })) listed.push(id);
  assert.deepEqual(listed, ids.toReversed());
  const oldest = await client.files.list({ order: 'asc', purpose: 'user_data' });
  assert.deepEqual(
    oldest.data.map(({ id }) => id),
    ids,
  );
  assert.deepEqual((await client.files.list({ purpose: 'batch' })).data, []);
  await client.files.delete(first);
  assert.deepEqual((await client.files.list()).data.length, 2);
  for (const path of ['/v1/files?limit=0', '/v1/files?limit=x', '/v1/files?after=file-elsewhere'])
    assert.equal((await call(cloud.url, { path, headers: ofAnn })).status, 400, path);
});

test("Anthropic's and Google's lists have their own pages", async () => {
  const person = await Person.signUp(cloud.url);
  const { key } = await person.makeKey();
  const anthropic = new Anthropic({
    baseURL: cloud.url,
    apiKey: key,
    defaultHeaders: { 'x-provider-key': 'sk-ant-shared' },
    maxRetries: 0,
  });
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { id } = await anthropic.beta.files.upload({
      file: await toAnthropicFile(Buffer.from(name), name),
    });
    ids.unshift(id);
  }
  const listed: string[] = [];
  for await (const { id } of anthropic.beta.files.list({ limit: 2 })) listed.push(id);
  assert.deepEqual(listed, ids);
  const before = await call(cloud.url, {
    path: `/v1/files?before_id=${ids[2]}&limit=1`,
    headers: ['x-api-key', key, 'anthropic-version', '2023-06-01'],
  });
  assert.deepEqual([at(before.json, 'data', 0, 'id'), before.json.has_more], [ids[1], true]);

  const chosen = await anthropic.beta.files.list({ ids: [ids[1] ?? '', 'file_elsewhere'] });
  assert.deepEqual(
    chosen.data.map(({ id }) => id),
    [ids[1]],
  );

  const google = new GoogleGenAI({
    apiKey: key,
    httpOptions: { baseUrl: cloud.url, headers: { 'x-provider-key': 'AIza-shared' } },
  });
  const names: (string | undefined)[] = [];
  for (const text of ['a', 'b', 'c'])
    names.unshift(
      (await google.files.upload({ file: new Blob([text]), config: { mimeType: 'text/plain' } })).name,
    );
  const found: (string | undefined)[] = [];
  for await (const { name } of await google.files.list({ config: { pageSize: 2 } })) found.push(name);
  assert.deepEqual(found, names);
  assert.deepEqual((await call(cloud.url, { path: '/v1/files', headers: bearer(key) })).json.data, []);
});

test('a file goes back to the key of several that made it', async () => {
  const person = await Person.signUp(cloud.url);
  for (const key of ['sk-one', 'sk-two', 'sk-three', 'sk-four'])
    await person.call({ path: '/v1/byok/openai/keys', body: { key } });
  const { key } = await person.makeKey();
  const used = new Set<string>();
  for (let at = 0; at < 12; at++) {
    const headers = [...bearer(key), 'x-weir-conversation', `c${at}`];
    const { json, status, text } = await upload(cloud.url, headers);
    assert.equal(status, 200, text);
    used.add(keyOf(fake.last));
    assert.equal(
      (await call(cloud.url, { path: `/v1/files/${String(json.id)}`, headers: bearer(key) })).status,
      200,
    );
  }
  assert.ok(used.size > 1, [...used].join());
});

test('a refused upload, an odd answer and a client that leaves store nothing', async () => {
  const person = await Person.signUp(cloud.url);
  const headers = [...bearer((await person.makeKey()).key), 'x-provider-key', 'sk-odd'];
  const answers = [
    { status: 400, body: { error: { message: 'no' } } },
    { body: 'null', headers: { 'content-type': 'application/json' } },
    { body: '{"id":', headers: { 'content-type': 'application/json' } },
    { body: { id: '../x' } },
    { body: { id: 7 } },
    { body: 'text', headers: { 'content-type': 'text/plain' } },
  ];
  for (const answer of answers) {
    fake.answerWith(answer);
    const { status } = await upload(cloud.url, headers);
    assert.equal(status, answer.status ?? 200);
  }
  fake.answerWith({ body: { id: 'file-long', filler: 'x'.repeat(200_000) } });
  assert.equal((await upload(cloud.url, headers)).status, 502);
  fake.answerWith({ ending: 'hang', chunks: ['{"id":'], headers: { 'content-type': 'application/json' } });
  const { request } = openCall(cloud.url, { method: 'POST', path: '/v1/files', headers, body: 'x' });
  request.on('error', () => undefined);
  const seen = fake.requests.length;
  await eventually(() => fake.requests[seen]);
  request.destroy();
  assert.equal(await fake.last.over, false);
  const { json } = await call(cloud.url, { path: '/v1/files', headers });
  assert.deepEqual(json.data, []);
  await eventually(() => /^weir_open_calls 0$/m.test(cloud.gateway.metrics()) || undefined);
  assert.match(cloud.gateway.metrics(), /^weir_orphaned_slots 0$/m);
});

test('a key that may not use a provider reaches none of its files', async () => {
  const person = await Person.signUp(cloud.url);
  const { id, key } = await person.makeKey();
  const headers = [...bearer(key), 'x-provider-key', 'sk-allowed'];
  const { json } = await upload(cloud.url, headers);
  await person.call({ method: 'PUT', path: `/v1/keys/${id}/access`, body: { providers: ['anthropic'] } });
  const refused = await call(cloud.url, { path: `/v1/files/${String(json.id)}`, headers });
  assert.equal(refused.status, 403, refused.text);
  await person.call({
    method: 'PUT',
    path: `/v1/keys/${id}/access`,
    body: { providers: null, models: ['claude-*'] },
  });
  assert.equal((await call(cloud.url, { path: `/v1/files/${String(json.id)}`, headers })).status, 200);
});
