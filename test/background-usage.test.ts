import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { FakeUpstream, type Script } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { objectsOf } from '../src/wire/json-values.ts';
import { answering } from './agents/scripted-turns.ts';
import { at } from './support/at.ts';
import { eventually } from './support/eventually.ts';
import { requestJson } from './support/http-client.ts';

const fake = await FakeUpstream.start();
const weir = await startTestGateway({
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_GEMINI_BASE_URL: fake.url,
  OPENAI_API_KEY: 'sk-tests',
  GEMINI_API_KEY: 'AIza-tests',
});
after(async () => {
  await weir.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
});

/** The most that the call can cost: 1,000 tokens of output at 10 USD per million, and the input. */
const body = { model: 'gpt-5', input: 'Think for long.', background: true, max_output_tokens: 1000 };
const response = { id: 'resp_theirs', object: 'response', model: 'gpt-5', output: [] };
const usage = { input_tokens: 10, output_tokens: 100, total_tokens: 110 };
const queued: Script = { body: { ...response, status: 'queued', usage: null } };

function create(pipeline: string, more: object = {}) {
  const headers = { 'x-weir-pipeline': pipeline };
  return requestJson(`${weir.url}/v1/responses`, { headers, body: { ...body, ...more } });
}

/** The provider queues answers, and says this when it is asked for one. */
function answerReads(read: Script): void {
  fake.answerWith(({ method }) => (method === 'GET' ? read : queued));
}

function logEntry(id: string | null) {
  return eventually(async () => {
    const { json } = await requestJson(`${weir.url}/v1/requests?limit=20`);
    return objectsOf(Object(json).requests).find((one) => one.id === id);
  });
}

test('an answer that OpenAI makes in the background is billed when it is complete', async () => {
  answerReads({ body: { ...response, status: 'completed', usage } });
  const { status, headers, json } = await create('cost-guard?day=1');
  assert.deepEqual([status, at(json, 'status')], [200, 'queued']);
  const entry = await logEntry(headers.get('x-request-id'));
  assert.partialDeepStrictEqual(entry, {
    input_tokens: 10,
    output_tokens: 100,
    cost_estimated: false,
    status: 200,
    modules: [{ name: 'cost-guard', effect: 'passed' }],
  });
  assert.equal(fake.last.url, '/v1/responses/resp_theirs');
  assert.equal(fake.last.headers.authorization, 'Bearer sk-tests');
});

test('it counts against a ceiling while it is made', async () => {
  const released = Promise.withResolvers<void>();
  fake.answerWith(async ({ method }) => {
    if (method === 'POST') return queued;
    await released.promise;
    return { body: { ...response, status: 'completed', usage } };
  });
  const pipeline = 'cost-guard?day=0.015&wait=0s';
  const first = await create(pipeline, { model: 'gpt-5-2025-08-07' });
  assert.equal(first.status, 200, first.text);
  await eventually(() => fake.requests.find(({ method }) => method === 'GET'));
  assert.equal((await create(pipeline)).status, 402);
  released.resolve();
  await logEntry(first.headers.get('x-request-id'));
  assert.equal((await create(pipeline)).status, 200);
});

test('the most that it can cost is billed if nobody can read it', async () => {
  answerReads({ status: 404, body: { error: { message: 'deleted' } } });
  const { headers } = await create('cost-guard?request=1');
  const entry = await logEntry(headers.get('x-request-id'));
  assert.equal(at(entry, 'cost_estimated'), true);
  assert.ok(Number(at(entry, 'cost_usd')) >= 0.01, String(at(entry, 'cost_usd')));
});

test('Google is asked for the cost of its interactions', async () => {
  const interaction = { id: 'v1_theirs', object: 'interaction', model: 'gemini-2.5-pro', steps: [] };
  const counted = { total_input_tokens: 10, total_output_tokens: 100, total_tokens: 110 };
  fake.answerWith(({ method }) => ({
    body:
      method === 'GET'
        ? { ...interaction, status: 'completed', usage: counted }
        : { ...interaction, status: 'in_progress' },
  }));
  const asked = { model: 'gemini-2.5-pro', input: 'Think for long.', background: true };
  const { headers } = await requestJson(`${weir.url}/v1beta/interactions`, { body: asked });
  const entry = await logEntry(headers.get('x-request-id'));
  assert.partialDeepStrictEqual(entry, { input_tokens: 10, output_tokens: 100, cost_estimated: false });
  assert.equal(fake.last.url, '/v1beta/interactions/v1_theirs');
});

test('models of other providers make interactions in the background', async () => {
  const held = Promise.withResolvers<void>();
  fake.answerWith(async (request) => {
    await held.promise;
    return answering(request, { text: 'Yes.' });
  });
  const url = `${weir.url}/v1beta/interactions`;
  const created = await requestJson(url, {
    body: { model: 'gpt-5-codex', input: 'Well?', background: true },
  });
  assert.equal(created.status, 200, created.text);
  assert.equal(at(created.json, 'status'), 'in_progress');
  const read = () => requestJson(`${url}/${at(created.json, 'id')}`);
  assert.equal(at((await read()).json, 'status'), 'in_progress');
  held.resolve();
  const complete = await eventually(async () => {
    const { json } = await read();
    return at(json, 'status') === 'completed' ? json : undefined;
  });
  assert.ok(JSON.stringify(complete).includes('Yes.'));
  assert.equal('background' in fake.last.json, false);
});
