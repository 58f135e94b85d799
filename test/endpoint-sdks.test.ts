import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { CohereClientV2 } from 'cohere-ai';
import { VoyageAIClient } from 'voyageai';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';

const fake = await FakeUpstream.start();
const weir = await startTestGateway({
  ...{ WEIR_COHERE_BASE_URL: `${fake.url}/cohere`, WEIR_VOYAGE_BASE_URL: `${fake.url}/voyage` },
  COHERE_API_KEY: 'co-key',
});
after(async () => {
  await weir.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
});

const cohere = new CohereClientV2({ token: 'co-key', environment: weir.url });
const voyage = new VoyageAIClient({ apiKey: 'pa-key', environment: `${weir.url}/v1` });
const vector = [0.25, -0.5];
const documents = ['taxes are due', 'the river rises'];

/** What the newest call cost and is called in the log. */
async function logged(): Promise<readonly unknown[]> {
  const { json } = await call(weir.url, { path: '/v1/requests?limit=1' });
  const { wire_format: format, provider, cost_usd: cost } = { ...Object(at(json, 'requests', 0)) };
  return [format, provider, cost];
}

test("Cohere's SDK embeds", async () => {
  const body = {
    ...{ id: 'x', embeddings: { float: [vector] }, texts: ['a'], response_type: 'embeddings_by_type' },
    meta: { billed_units: { input_tokens: 1000 } },
  };
  fake.answerWith({ body });
  const answer = await cohere.embed({
    ...{ model: 'embed-v4.0', texts: ['a'], inputType: 'search_query', embeddingTypes: ['float'] },
  });
  assert.deepEqual(answer.embeddings.float, [vector]);
  assert.equal(fake.last.url, '/cohere/v2/embed');
  assert.equal(fake.last.headers.authorization, 'Bearer co-key');
  assert.deepEqual(await logged(), ['cohere_embeddings', 'cohere', '0.00012']);
});

test('what it embeds is protected, too', async () => {
  fake.answerWith(({ json }) => ({
    body: {
      id: 'x',
      embeddings: { float: [vector] },
      texts: json.texts,
      response_type: 'embeddings_by_type',
    },
  }));
  const options = { headers: { 'x-weir-pipeline': 'guardrails?models=off' } };
  const texts = ['mail ann@example.com'];
  const answer = await cohere.embed({ model: 'embed-v4.0', texts, inputType: 'search_query' }, options);
  assert.deepEqual(fake.last.json.texts, ['mail <EMAIL_1>']);
  assert.deepEqual(answer.texts, texts);
});

test("Cohere's SDK ranks", async () => {
  const results = [{ index: 1, relevance_score: 0.9 }];
  fake.answerWith({ body: { id: 'x', results, meta: { billed_units: { search_units: 1 } } } });
  const answer = await cohere.rerank({ model: 'rerank-v3.5', query: 'water', documents, topN: 1 });
  assert.deepEqual([answer.results[0]?.index, answer.results[0]?.relevanceScore], [1, 0.9]);
  assert.equal(fake.last.json.top_n, 1);
  assert.deepEqual(await logged(), ['rerank', 'cohere', '0.002']);
});

test("Voyage's SDK embeds and ranks", async () => {
  const data = [{ object: 'embedding', index: 0, embedding: vector }];
  fake.answerWith({ body: { object: 'list', data, model: 'voyage-3.5', usage: { total_tokens: 1000 } } });
  const embedded = await voyage.embed({
    ...{ model: 'voyage-3.5', input: ['a'], inputType: 'query', outputDimension: 2 },
  });
  assert.deepEqual(embedded.data?.[0]?.embedding, vector);
  assert.equal(embedded.usage?.totalTokens, 1000);
  assert.deepEqual([fake.last.json.input_type, fake.last.json.output_dimension], ['query', 2]);
  assert.deepEqual(await logged(), ['embeddings', 'voyage', '0.00006']);

  const results = [{ index: 1, relevance_score: 0.9, document: documents[1] }];
  fake.answerWith({
    body: { object: 'list', data: results, model: 'rerank-2.5', usage: { total_tokens: 9 } },
  });
  const ranked = await voyage.rerank({
    ...{ model: 'rerank-2.5', query: 'water', documents, topK: 1, returnDocuments: true },
  });
  assert.deepEqual([ranked.data?.[0]?.index, ranked.data?.[0]?.document], [1, documents[1]]);
  assert.equal(fake.last.json.top_k, 1);
});

test('errors come to the SDKs with their status', async () => {
  fake.answerWith({ status: 429, body: { message: 'slow down' }, headers: { 'retry-after': '1' } });
  const options = { maxRetries: 0 };
  const asked = cohere.rerank({ model: 'rerank-v3.5', query: 'water', documents }, options);
  await assert.rejects(asked, { statusCode: 429 });
  const foreign = voyage.embed({ model: 'gpt-none-such', input: 'a' }, options);
  await assert.rejects(foreign, { statusCode: 400 });
});
