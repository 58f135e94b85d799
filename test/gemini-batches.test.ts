import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { ApiError, GoogleGenAI } from '@google/genai';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { GeminiBatchProvider } from './support/gemini-batch-provider.ts';
import { startReplicas } from './support/replicas.ts';

const fake = await FakeUpstream.start();
const addresses = { WEIR_GEMINI_BASE_URL: fake.url };
const cloud = await startTestGateway({ WEIR_MODE: 'cloud', ...addresses });
const local = await startTestGateway({ ...addresses, GEMINI_API_KEY: 'AIza-tests' });
let provider = new GeminiBatchProvider();
after(async () => {
  await Promise.all([cloud.close(), local.close()]);
  await fake.close();
});
beforeEach(() => {
  provider = new GeminiBatchProvider();
  fake.requests.length = 0;
  fake.answerWith(provider.serve);
});

const model = 'gemini-2.5-flash';
/** Half of 1,000 tokens at 0.30 and 500 at 2.50 dollars a million. */
const answerUsd = 0.000775;
/** Half of 1,000 tokens of output, and little input. */
const mostUsd = 0.00125;

function request() {
  return { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], config: { maxOutputTokens: 1000 } };
}

function batchFile(calls: number, config: object = { maxOutputTokens: 1000 }): string {
  return Array.from({ length: calls }, (_, index) =>
    JSON.stringify({
      key: `k${index}`,
      request: { contents: [{ parts: [{ text: 'Hi' }] }], generation_config: config },
    }),
  ).join('\n');
}

function clientAt(url: string, apiKey: string): GoogleGenAI {
  const headers = { 'x-provider-key': 'AIza-shared' };
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, headers } });
}

async function upload(google: GoogleGenAI, content: string): Promise<string> {
  const file = new Blob([content]);
  return String((await google.files.upload({ file, config: { mimeType: 'application/jsonl' } })).name);
}

async function usage(person: Person): Promise<readonly unknown[]> {
  const { json } = await person.call({ path: '/v1/usage' });
  const models = Array.isArray(json.models) ? json.models : [];
  return models
    .filter((one) => at(one, 'model') === model)
    .flatMap((one) => [Number(at(one, 'cost_usd')), at(one, 'requests'), at(one, 'input_tokens')]);
}

async function spentUsd(person: Person, keyId: string): Promise<number> {
  const { json } = await person.call({ path: '/v1/budgets' });
  const budgets = Array.isArray(json.budgets) ? json.budgets : [];
  const own = budgets.find((one) => at(one, 'key_id') === keyId);
  return Number(at(own, 'spent_usd'));
}

const is = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;

test("Google's SDK makes a batch with its requests, and reads the results in it, which are billed once", async () => {
  const person = await Person.signUp(cloud.url);
  const google = clientAt(cloud.url, (await person.makeKey()).key);
  const made = await google.batches.create({ model, src: [request(), request(), request()] });
  const name = String(made.name);
  assert.equal(fake.last.url, `/v1beta/models/${model}:batchGenerateContent`);
  assert.equal((await google.batches.get({ name })).state, 'JOB_STATE_PENDING');
  provider.finish(name);
  for (const _ of [1, 2]) {
    const { state, dest } = await google.batches.get({ name });
    assert.equal(state, 'JOB_STATE_SUCCEEDED');
    const answers = dest?.inlinedResponses ?? [];
    assert.equal(answers[0]?.response?.candidates?.[0]?.content?.parts?.[0]?.text, 'Splash.');
    assert.equal(answers[2]?.error?.message, 'no');
    assert.deepEqual(await usage(person), [2 * answerUsd, 2, 2000]);
  }
  const listed = await google.batches.list({ config: { pageSize: 1 } });
  assert.deepEqual(
    listed.page.map((one) => [one.name, one.state]),
    [[name, 'JOB_STATE_SUCCEEDED']],
  );
  await google.batches.delete({ name });
  await assert.rejects(google.batches.get({ name }), is(404));
});

test('the calls may be in a file, and so may the results', async () => {
  const person = await Person.signUp(cloud.url);
  const { key } = await person.makeKey();
  const google = clientAt(cloud.url, key);
  const headers = [...bearer(key), 'x-provider-key', 'AIza-shared'];
  const src = await upload(google, batchFile(3));
  const { name = '' } = await google.batches.create({ model, src });
  provider.finish(name);
  const { dest } = await google.batches.get({ name });
  assert.deepEqual(await usage(person), []);
  for (const path of [
    `/v1beta/${dest?.fileName}:download`,
    `/download/v1beta/${dest?.fileName}:download?alt=media`,
  ]) {
    const { text } = await call(cloud.url, { path, headers });
    assert.equal(text.trim().split('\n').length, 3, text);
    assert.deepEqual(await usage(person), [2 * answerUsd, 2, 2000]);
  }
  const names: (string | undefined)[] = [];
  for await (const file of await google.files.list()) names.push(file.name);
  assert.deepEqual(names, [dest?.fileName, src]);
});

test('a batch is admitted by its estimate, on all replicas, until its bill', async (t) => {
  const [one, other] = await startReplicas(t, addresses);
  const person = await Person.signUp(one.url);
  const { key, id } = await person.makeKey({ pipelineConfig: 'cost-guard?day=0.01' });
  const [google, elsewhere] = [clientAt(one.url, key), clientAt(other.url, key)];
  const { name = '' } = await google.batches.create({ model, src: [request(), request(), request()] });
  const spent = await spentUsd(person, id);
  assert.ok(spent >= 3 * mostUsd && spent < 3.1 * mostUsd, String(spent));
  const src = await upload(elsewhere, batchFile(6));
  await assert.rejects(elsewhere.batches.create({ model, src }), is(402));
  // Until then, what the process holds for the call counts as well.
  await eventually(() => /^weir_usage_sums_waiting 0$/m.test(one.gateway.metrics()) || undefined);
  provider.finish(name);
  await Promise.all([google, elsewhere].map((client) => client.batches.get({ name })));
  assert.deepEqual(await usage(person), [2 * answerUsd, 2, 2000]);
  assert.equal(await spentUsd(person, id), 2 * answerUsd);
  await elsewhere.batches.create({ model, src });
  await assert.rejects(google.batches.create({ model, src: [request()] }), is(402));
});

test('what a batch may cost is known, or it is refused under a ceiling', async () => {
  const person = await Person.signUp(cloud.url);
  const { key } = await person.makeKey({ pipelineConfig: 'cost-guard?day=0.01' });
  const google = clientAt(cloud.url, key);
  // A call without a limit may write 65,536 tokens, and each candidate as much as its limit.
  for (const config of [
    {},
    { maxOutputTokens: 1000, candidateCount: 8 },
    { maxOutputTokens: 1000, candidate_count: '8' },
  ]) {
    await assert.rejects(
      google.batches.create({ model, src: await upload(google, batchFile(1, config)) }),
      is(402),
    );
  }
  await assert.rejects(google.batches.create({ model, src: [{ ...request(), config: {} }] }), is(402));
  await assert.rejects(google.batches.create({ model, src: await upload(google, 'no calls') }), is(400));
  // Of 9 MB, the SDK sends two parts.
  const long = batchFile(1, { maxOutputTokens: 10 }).padEnd(9 * 1024 ** 2, '\n');
  await assert.rejects(google.batches.create({ model, src: await upload(google, long) }), /several parts/);
  const path = `/v1beta/models/${model}:batchGenerateContent`;
  const headers = ['x-goog-api-key', key, 'x-provider-key', 'AIza-shared'];
  const inputs = { requests: { requests: [] } };
  const other = { requests: { requests: [{ request: { model: 'models/gemini-2.5-pro', contents: [] } }] } };
  for (const batch of [
    { inputConfig: inputs, input_config: inputs },
    { inputConfig: { fileName: 'files/a', file_name: 'files/b' } },
    { inputConfig: { fileName: 'files/a', ...inputs } },
    { inputConfig: other },
  ])
    assert.equal(
      (await call(cloud.url, { path, headers, body: { batch } })).status,
      400,
      JSON.stringify(batch),
    );
});

test('a cancelled batch costs nothing', async () => {
  const person = await Person.signUp(cloud.url);
  const { key, id } = await person.makeKey({ pipelineConfig: 'cost-guard?day=0.01' });
  const google = clientAt(cloud.url, key);
  const { name = '' } = await google.batches.create({ model, src: [request()] });
  assert.ok((await spentUsd(person, id)) >= mostUsd);
  await google.batches.cancel({ name });
  assert.equal((await google.batches.get({ name })).state, 'JOB_STATE_CANCELLED');
  assert.equal(await spentUsd(person, id), 0);
});

test('a batch, its file and its results belong to the account that made them', async () => {
  const google = clientAt(cloud.url, (await (await Person.signUp(cloud.url)).makeKey()).key);
  const src = await upload(google, batchFile(1));
  const { name = '' } = await google.batches.create({ model, src });
  provider.finish(name);
  const { dest } = await google.batches.get({ name });
  const stranger = await Person.signUp(cloud.url);
  const { key, id } = await stranger.makeKey();
  const other = clientAt(cloud.url, key);
  const asked = fake.requests.length;
  await assert.rejects(other.batches.get({ name }), is(404));
  await assert.rejects(other.batches.cancel({ name }), is(404));
  await assert.rejects(other.batches.delete({ name }), is(404));
  await assert.rejects(other.batches.create({ model, src }), is(404));
  const headers = [...bearer(key), 'x-provider-key', 'AIza-shared'];
  for (const path of [`/v1beta/${dest?.fileName}:download`, `/download/v1beta/${dest?.fileName}:download`])
    assert.equal((await call(cloud.url, { path, headers })).status, 404);
  assert.deepEqual((await other.batches.list()).page, []);
  assert.equal(fake.requests.length, asked);
  await stranger.call({ method: 'PUT', path: `/v1/keys/${id}/access`, body: { models: ['gemini-2.5-pro'] } });
  await assert.rejects(other.batches.create({ model, src: [request()] }), is(403));
});

test('no mask of fields hides the usage of results, also in the list of a local gateway', async () => {
  const google = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: local.url } });
  const { name = '' } = await google.batches.create({ model, src: [request(), request()] });
  provider.finish(name);
  await call(local.url, {
    path: '/v1beta/batches?fields=operations.response&%66ields=x&pageSize=5',
    headers: ['x-goog-fieldmask', 'name'],
  });
  assert.equal(fake.last.url, '/v1beta/batches?pageSize=5');
  assert.equal(fake.last.headers['x-goog-fieldmask'], undefined);
  const { json } = await call(local.url, { path: '/v1/usage' });
  const models = Array.isArray(json.models) ? json.models : [];
  assert.deepEqual(
    models
      .filter((one) => at(one, 'model') === model)
      .map((one) => [Number(at(one, 'cost_usd')), at(one, 'requests')]),
    [[answerUsd, 1]],
  );
});
