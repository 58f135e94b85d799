import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import OpenAI from 'openai';
import { isJsonObject } from '../src/lib/json.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';

const fake = await FakeUpstream.start();
const weir = await startTestGateway({
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_MISTRAL_BASE_URL: `${fake.url}/mistral`,
  WEIR_GEMINI_BASE_URL: `${fake.url}/gemini`,
  WEIR_VOYAGE_BASE_URL: `${fake.url}/voyage`,
  WEIR_COHERE_BASE_URL: `${fake.url}/cohere`,
  WEIR_OLLAMA_BASE_URL: `${fake.url}/ollama`,
  ...{ OPENAI_API_KEY: 'sk-proj-x', MISTRAL_API_KEY: 'm', GEMINI_API_KEY: 'AIzax' },
  ...{ VOYAGE_API_KEY: 'pa-x', COHERE_API_KEY: 'co' },
});
after(async () => {
  await weir.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
});

const client = new OpenAI({ baseURL: `${weir.url}/v1`, apiKey: 'none', maxRetries: 0 });

/** A vector that shows which text it is of: its length and its first letter. */
function vectorOf(text: unknown): readonly number[] {
  const [letter = ''] = String(text);
  return [String(text).length, letter.charCodeAt(0), 0.5];
}

function textsIn(body: unknown): readonly unknown[] {
  const { input, texts = input } = isJsonObject(body) ? body : {};
  return Array.isArray(texts) ? texts : [texts];
}

/** Answers as OpenAI and those with its API do, always with numbers; a token for each text. */
function answerWithNumbers(): void {
  fake.answerWith(({ json }) => {
    const texts = textsIn(json);
    return {
      body: {
        object: 'list',
        data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
        model: at(json, 'model'),
        usage: { prompt_tokens: texts.length, total_tokens: texts.length },
      },
    };
  });
}

async function logged(): Promise<Record<string, unknown>> {
  const { json } = await call(weir.url, { path: '/v1/requests?limit=1' });
  return { ...Object(at(json, 'requests', 0)) };
}

for (const { model, path } of [
  { model: 'gemini/gemini-embedding-001', path: '/gemini/v1beta/openai/embeddings' },
  { model: 'mistral/mistral-embed', path: '/mistral/embeddings' },
  { model: 'ollama/nomic-embed-text', path: '/ollama/embeddings' },
])
  test(`${model}: numbers become base64 if the client wants that`, async () => {
    answerWithNumbers();
    // The SDK asks for base64 by itself.
    const packed = await client.embeddings.create({ model, input: ['river', 'sea'] });
    assert.deepEqual(
      packed.data.map(({ embedding }) => embedding),
      [vectorOf('river'), vectorOf('sea')],
    );
    assert.equal(fake.last.url, path);
    assert.notEqual(at(fake.last.json, 'encoding_format'), 'base64');
    const numbers = await client.embeddings.create({ model, input: 'river', encoding_format: 'float' });
    assert.deepEqual(numbers.data[0]?.embedding, vectorOf('river'));
    assert.equal(numbers.usage.total_tokens, 1);
  });

test("dimensions have Mistral's name at Mistral", async () => {
  answerWithNumbers();
  await client.embeddings.create({ model: 'codestral-embed', input: 'x', dimensions: 256 });
  const { dimensions, output_dimension: own } = Object(fake.last.json);
  assert.deepEqual([dimensions, own], [undefined, 256]);
});

test("Voyage gets its own names, and answers in OpenAI's form", async () => {
  const packed = Buffer.from(Float32Array.from(vectorOf('river')).buffer).toString('base64');
  const data = [{ object: 'embedding', embedding: packed, index: 0 }];
  fake.answerWith({ body: { object: 'list', data, model: 'voyage-3.5', usage: { total_tokens: 1000 } } });
  const { data: got, usage } = await client.embeddings.create({
    ...{ model: 'voyage-3.5', input: ['river'], dimensions: 512, user: 'ann' },
  });
  assert.deepEqual(got[0]?.embedding, vectorOf('river'));
  assert.deepEqual(usage, { prompt_tokens: 1000, total_tokens: 1000 });
  assert.deepEqual(fake.last.json, {
    ...{ model: 'voyage-3.5', input: ['river'], output_dimension: 512, encoding_format: 'base64' },
  });
  assert.equal(fake.last.headers.authorization, 'Bearer pa-x');
  // 6 cents for a million tokens.
  assert.equal((await logged()).cost_usd, '0.00006');
});

test("Cohere gets its own API, and answers in OpenAI's form", async () => {
  fake.answerWith(({ json }) => ({
    body: {
      id: 'x',
      embeddings: { float: textsIn(json).map(vectorOf) },
      texts: textsIn(json),
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 500 } },
    },
  }));
  const { data, usage } = await client.embeddings.create({
    ...{ model: 'cohere/embed-v4.0', input: ['river', 'sea'], dimensions: 256 },
  });
  assert.deepEqual(
    data.map(({ index, embedding }) => [index, embedding]),
    [
      [0, vectorOf('river')],
      [1, vectorOf('sea')],
    ],
  );
  assert.equal(usage.prompt_tokens, 500);
  assert.equal(fake.last.url, '/cohere/v2/embed');
  assert.deepEqual(fake.last.json, {
    ...{ model: 'embed-v4.0', texts: ['river', 'sea'], input_type: 'search_document' },
    ...{ embedding_types: ['float'], output_dimension: 256 },
  });
  assert.equal((await logged()).cost_usd, '0.00006');
});

test("an error of a provider with its own format comes in OpenAI's", async () => {
  fake.answerWith({ status: 400, body: { message: 'invalid request: too long' } });
  const refused = await call(weir.url, {
    ...{ path: '/v1/embeddings', body: { model: 'cohere/embed-v4.0', input: 'x' } },
  });
  assert.equal(refused.status, 400);
  assert.match(
    String(at(refused.json, 'error', 'message')),
    /Cohere answered 400: invalid request: too long/,
  );
});

test('tokens in place of texts are rejected where the provider takes none', async () => {
  for (const model of ['voyage-3.5', 'cohere/embed-v4.0', 'weir/minilm']) {
    const { status, json } = await call(weir.url, { path: '/v1/embeddings', body: { model, input: [1, 2] } });
    assert.deepEqual([status, at(json, 'error', 'param')], [400, 'input'], model);
  }
  assert.equal(fake.requests.length, 0);
});

test('a list that is too long for its provider goes in parts, which are billed each', async () => {
  fake.answerWith(({ json }) => ({
    body: {
      embeddings: { float: textsIn(json).map(vectorOf) },
      meta: { billed_units: { input_tokens: textsIn(json).length * 1000 } },
    },
  }));
  const input = Array.from({ length: 250 }, (_, index) => 'x'.repeat(index + 1));
  const { data, usage } = await client.embeddings.create({ model: 'cohere/embed-v4.0', input });
  assert.deepEqual(
    data.map(({ index, embedding }) => [index, embedding[0]]),
    input.map(({ length }, index) => [index, length]),
  );
  assert.equal(usage.total_tokens, 250_000);
  assert.deepEqual(fake.requests.map(({ json }) => textsIn(json).length).sort(), [58, 96, 96]);
  const { input_tokens: tokens, cost_usd: cost } = await logged();
  assert.deepEqual([tokens, cost], [250_000, '0.03']);
});

test('if a part fails, the call fails, and the other parts are billed', async () => {
  fake.answerWith(({ json }) =>
    textsIn(json).length === 96
      ? {
          body: {
            embeddings: { float: textsIn(json).map(vectorOf) },
            meta: { billed_units: { input_tokens: 96_000 } },
          },
        }
      : { status: 429, body: { message: 'slow down' } },
  );
  const input = Array.from({ length: 100 }, () => 'x');
  const refused = await call(weir.url, {
    path: '/v1/embeddings',
    body: { model: 'cohere/embed-v4.0', input },
  });
  assert.equal(refused.status, 429);
  const { status, cost_usd: cost } = await logged();
  assert.deepEqual([status, cost], [429, '0.01152']);
  assert.match(weir.gateway.metrics(), /^weir_open_calls 0$/m);
});

test('parts without usage are estimated, each by its own texts', async () => {
  fake.answerWith(({ json }) => ({ body: { embeddings: { float: textsIn(json).map(vectorOf) } } }));
  const input = Array.from({ length: 192 }, () => 'the river rises in spring');
  await client.embeddings.create({ model: 'cohere/embed-v4.0', input });
  const { input_tokens: tokens, cost_estimated: isEstimated } = await logged();
  assert.ok(Number(tokens) > 192 * 4 && Number(tokens) < 192 * 8, String(tokens));
  assert.equal(isEstimated, true);
});

test('an answer without a vector for each text fails', async () => {
  fake.answerWith({ body: { embeddings: { float: [[1]] } } });
  const input = Array.from({ length: 100 }, () => 'x');
  const { status, text } = await call(weir.url, {
    ...{ path: '/v1/embeddings', body: { model: 'cohere/embed-v4.0', input } },
  });
  assert.equal(status, 502);
  assert.match(text, /Cohere did not answer each of \d+ inputs/);
});

test('an answer that is no JSON fails', async () => {
  fake.answerWith({ body: '{"embeddings": ', headers: { 'content-type': 'application/json' } });
  const { status } = await call(weir.url, {
    ...{ path: '/v1/embeddings', body: { model: 'cohere/embed-v4.0', input: 'x' } },
  });
  assert.equal(status, 502);
});

test('texts that were embedded before come from the cache, each by itself', async () => {
  answerWithNumbers();
  const cached = new OpenAI({
    ...{ baseURL: `${weir.url}/v1`, apiKey: 'none', maxRetries: 0 },
    defaultHeaders: { 'x-weir-pipeline': 'exact-cache' },
  });
  const embed = (input: string | string[], options: { dimensions?: number } = {}) =>
    cached.embeddings.create({
      model: 'text-embedding-3-small',
      input,
      encoding_format: 'float',
      ...options,
    });
  const first = await embed(['a', 'bb']);
  assert.equal(first.usage.total_tokens, 2);
  const second = await embed(['ccc', 'bb', 'ccc', 'a']);
  assert.deepEqual(at(fake.last.json, 'input'), ['ccc']);
  assert.deepEqual(
    second.data.map(({ index, embedding }) => [index, embedding[0]]),
    [
      [0, 3],
      [1, 2],
      [2, 3],
      [3, 1],
    ],
  );
  assert.equal(second.usage.total_tokens, 1);
  const asked = fake.requests.length;
  const third = await embed('ccc');
  assert.deepEqual(
    [third.data[0]?.embedding, third.usage.total_tokens, third.model],
    [vectorOf('ccc'), 0, 'text-embedding-3-small'],
  );
  assert.equal(fake.requests.length, asked);
  const { modules, cost_usd: cost, saved_usd: saved } = await logged();
  assert.deepEqual([at(modules, 0, 'effect'), Number(cost), saved], ['answered', 0, '0.00000002']);
  await embed('ccc', { dimensions: 3 });
  assert.equal(fake.requests.length, asked + 1);
});

test('the local model makes vectors without a provider', async () => {
  const input = ['the river rises', 'a stream grows', 'taxes are due'];
  const { data, usage, model } = await client.embeddings.create({ model: 'weir/minilm', input });
  const [river, stream, taxes] = data.map(({ embedding }) => embedding);
  const cosine = (one: readonly number[] = [], other: readonly number[] = []) =>
    one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
  assert.equal(river?.length, 384);
  assert.ok(cosine(river, stream) > cosine(river, taxes) + 0.2);
  assert.ok(usage.total_tokens >= 9 && model === 'minilm');
  assert.equal(fake.requests.length, 0);
  const { provider, model_used: used, cost_usd: cost, input_tokens: tokens } = await logged();
  assert.deepEqual([provider, used, Number(cost), tokens], ['weir', 'minilm', 0, usage.total_tokens]);
  for (const wrong of [{ dimensions: 100 }, { input: 'x'.repeat(10_001) }, { input: [] }]) {
    const refused = await call(weir.url, {
      ...{ path: '/v1/embeddings', body: { model: 'weir/minilm', input: 'x', ...wrong } },
    });
    assert.equal(refused.status, 400, refused.text);
  }
});

test('a provider without chat models rejects chat calls', async () => {
  for (const model of ['voyage-3.5', 'weir/minilm', 'cohere/command-r']) {
    const { status, text } = await call(weir.url, {
      path: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content: 'hi' }] },
    });
    assert.equal(status, 400, text);
    assert.match(text, /has no chat models; it has the endpoints embeddings/);
  }
});
