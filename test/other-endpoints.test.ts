import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';

const fake = await FakeUpstream.start();
const addresses = {
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_XAI_BASE_URL: `${fake.url}/xai`,
  WEIR_VOYAGE_BASE_URL: `${fake.url}/voyage`,
  WEIR_COHERE_BASE_URL: `${fake.url}/cohere`,
  WEIR_JINA_BASE_URL: `${fake.url}/jina`,
  WEIR_MISTRAL_BASE_URL: `${fake.url}/mistral`,
};
const weir = await startTestGateway({
  ...addresses,
  ...{ OPENAI_API_KEY: 'sk-proj-x', XAI_API_KEY: 'xai-x', VOYAGE_API_KEY: 'pa-x', COHERE_API_KEY: 'co' },
  ...{ JINA_API_KEY: 'jina_x', MISTRAL_API_KEY: 'm' },
});
after(async () => {
  await weir.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
});

const client = new OpenAI({ baseURL: `${weir.url}/v1`, apiKey: 'none', maxRetries: 0 });

async function logged(): Promise<Record<string, unknown>> {
  const { json } = await call(weir.url, { path: '/v1/requests?limit=1' });
  return { ...Object(at(json, 'requests', 0)) };
}

async function loggedCost(): Promise<unknown> {
  const { cost_usd: cost, cost_estimated: isEstimated, status, ending } = await logged();
  assert.deepEqual([status, ending], [200, 'complete']);
  return isEstimated === true ? `about ${cost}` : cost;
}

function sse(...events: readonly object[]) {
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: events.map((event) => `event: ${at(event, 'type')}\ndata: ${JSON.stringify(event)}\n\n`),
  };
}

const imageUsage = {
  ...{ total_tokens: 1100, input_tokens: 100, output_tokens: 1000 },
  input_tokens_details: { text_tokens: 60, image_tokens: 40 },
};
/** 60 tokens at 5 dollars for a million, 40 at 10, 1,000 at 40. */
const imageCost = '0.0407';

test("pictures come to OpenAI's SDK, and cost what their tokens cost", async () => {
  fake.answerWith({ body: { created: 1, data: [{ b64_json: 'AAAA' }], usage: imageUsage } });
  const { data } = await client.images.generate({ model: 'gpt-image-1', prompt: 'a weir', n: 1 });
  assert.equal(data?.[0]?.b64_json, 'AAAA');
  assert.equal(fake.last.url, '/v1/images/generations');
  assert.equal(await loggedCost(), imageCost);
});

test('a large picture is billed by the end of its answer', async () => {
  const data = [{ b64_json: 'A'.repeat(5_000_000) }];
  fake.answerWith({ body: { created: 1, data, usage: imageUsage } });
  const { data: got } = await client.images.generate({ model: 'gpt-image-1', prompt: 'a weir' });
  assert.equal(got?.[0]?.b64_json?.length, 5_000_000);
  assert.equal(await loggedCost(), imageCost);
});

test('partial pictures are streamed', async () => {
  const partial = { type: 'image_generation.partial_image', b64_json: 'AA', partial_image_index: 0 };
  const whole = { type: 'image_generation.completed', b64_json: 'AAAA', usage: imageUsage };
  fake.answerWith(sse(partial, whole));
  const stream = await client.images.generate({
    ...{ model: 'gpt-image-1', prompt: 'a weir', stream: true, partial_images: 1 },
  });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  assert.deepEqual(types, [partial.type, whole.type]);
  assert.equal(await loggedCost(), imageCost);
});

test('pictures without a known price cost an unknown amount, and not nothing', async () => {
  fake.answerWith({ body: { created: 1, data: [{ url: 'https://x.example/1.png' }] } });
  await client.images.generate({ model: 'grok-2-image', prompt: 'a weir' });
  assert.equal(fake.last.url, '/xai/images/generations');
  assert.equal((await logged()).cost_usd, null);
});

test('edits send a form, with the pictures unchanged', async () => {
  fake.answerWith({ body: { created: 1, data: [{ b64_json: 'AAAA' }], usage: imageUsage } });
  const image = await toFile(Buffer.from('picture bytes'), 'weir.png', { type: 'image/png' });
  await client.images.edit({ model: 'openai/gpt-image-1', image, prompt: 'more water' });
  assert.equal(fake.last.url, '/v1/images/edits');
  const sent = fake.last.bytes.toString('latin1');
  assert.match(sent, /name="model"\r\n\r\ngpt-image-1\r\n/);
  assert.match(sent, /\r\n\r\npicture bytes\r\n/);
  assert.equal(await loggedCost(), imageCost);
});

test('an odd number of pictures is for the provider to judge', async () => {
  fake.answerWith({ status: 400, body: { error: { message: 'n is no number' } } });
  for (const n of [{ toString: 1 }, [], null, 'many', -1]) {
    const { status } = await call(weir.url, {
      path: '/v1/images/generations',
      body: { model: 'gpt-image-1', prompt: 'a weir', n },
      headers: ['x-weir-pipeline', 'cost-guard?request=10'],
    });
    assert.deepEqual([status, fake.last.json.n], [400, n]);
  }
});

test('the ceiling of an edit counts the pictures that its form asks for, also behind the file', async () => {
  fake.answerWith({ body: { created: 1, data: [{ b64_json: 'AAAA' }], usage: imageUsage } });
  const edit = async (n: number) => {
    const image = await toFile(Buffer.alloc(2_000_000, 'x'), 'weir.png', { type: 'image/png' });
    const options = { headers: { 'x-weir-pipeline': 'cost-guard?request=1.5' } };
    return client.images.edit({ image, prompt: 'more', n, model: 'gpt-image-1' }, options);
  };
  // A picture holds 24,000 tokens at 40 dollars for a million; what is changed, 10,000 at 10.
  await assert.rejects(edit(2), /2\.02/);
  assert.equal(fake.requests.length, 0);
  assert.equal((await edit(1)).data?.length, 1);
  assert.match(fake.last.bytes.toString('latin1'), /name="n"\r\n\r\n1\r\n/);
  assert.equal(fake.last.headers['content-length'], String(fake.last.bytes.byteLength));
});

const recording = () => toFile(Buffer.alloc(32_000, 'x'), 'weir.mp3');

test('transcriptions are billed by tokens or by seconds', async () => {
  const tokens = {
    ...{ type: 'tokens', input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
    input_token_details: { text_tokens: 0, audio_tokens: 1000 },
  };
  fake.answerWith({ body: { text: 'Splash.', usage: tokens } });
  const said = await client.audio.transcriptions.create({
    ...{ file: await recording(), model: 'gpt-4o-transcribe' },
  });
  assert.equal(said.text, 'Splash.');
  assert.equal(await loggedCost(), '0.007');
  fake.answerWith({ body: { text: 'Splash.', usage: { type: 'duration', seconds: 60 } } });
  await client.audio.transcriptions.create({ file: await recording(), model: 'whisper-1' });
  // 36 cents for an hour.
  assert.equal(await loggedCost(), '0.006');
});

for (const { format, type, body } of [
  { format: 'text', type: 'text/plain; charset=utf-8', body: 'Splash.\n' },
  { format: 'srt', type: 'text/plain; charset=utf-8', body: '1\n00:00:00,000 --> 00:00:02,000\nSplash.\n\n' },
  { format: 'vtt', type: 'text/vtt', body: 'WEBVTT\n\n00:00.000 --> 00:02.000\nSplash.\n\n' },
] as const)
  test(`a transcription as ${format} is passed on, and estimated by the size of the recording`, async () => {
    fake.answerWith({ headers: { 'content-type': type }, body });
    const said = await client.audio.transcriptions.create({
      ...{ file: await recording(), model: 'whisper-1', response_format: format },
    });
    assert.equal(said, body);
    // Three seconds: the form is a little longer than 32,000 bytes.
    assert.equal(await loggedCost(), 'about 0.0003');
  });

test('a streamed transcription is billed by its last event', async () => {
  const usage = {
    ...{ type: 'tokens', input_tokens: 1000, output_tokens: 100 },
    input_token_details: { audio_tokens: 1000 },
  };
  fake.answerWith(
    sse(
      { type: 'transcript.text.delta', delta: 'Spl' },
      { type: 'transcript.text.done', text: 'Splash.', usage },
    ),
  );
  const stream = await client.audio.transcriptions.create({
    ...{ file: await recording(), model: 'gpt-4o-transcribe', stream: true },
  });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  assert.deepEqual(types, ['transcript.text.delta', 'transcript.text.done']);
  assert.equal(await loggedCost(), '0.007');
});

test('speech is streamed as bytes, and billed by characters', async () => {
  const sound = Buffer.from([0, 255, 1, 254]);
  fake.answerWith({
    headers: { 'content-type': 'audio/mpeg' },
    chunks: [sound.subarray(0, 2), sound.subarray(2)],
  });
  const response = await client.audio.speech.create({
    model: 'tts-1',
    voice: 'alloy',
    input: 'Splash'.repeat(100),
  });
  assert.equal(response.headers.get('content-type'), 'audio/mpeg');
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), sound);
  // 600 characters at 15 dollars for a million.
  assert.equal(await loggedCost(), '0.009');
});

test('speech of a model by tokens is estimated as sound, and exact as events', async () => {
  fake.answerWith({ headers: { 'content-type': 'audio/mpeg' }, body: Buffer.from('sound') });
  const asked = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Splash'.repeat(100) };
  await (await client.audio.speech.create(asked)).arrayBuffer();
  // 150 tokens at 60 cents for a million, 840 at 12 dollars.
  assert.equal(await loggedCost(), 'about 0.01017');
  const done = { type: 'speech.audio.done', usage: { input_tokens: 100, output_tokens: 1000 } };
  fake.answerWith(sse({ type: 'speech.audio.delta', audio: 'AA' }, done));
  const events = await client.audio.speech.create({ ...asked, stream_format: 'sse' });
  assert.match(await events.text(), /speech\.audio\.done/);
  assert.equal(await loggedCost(), '0.01206');
});

const flags = (flagged: boolean) => ({ flagged, categories: {}, category_scores: {} });

test('moderations cost nothing at OpenAI, need no model, and are cached by the text', async () => {
  fake.answerWith(({ json }) => {
    const texts = [at(json, 'input')].flat();
    const results = texts.map((text) => flags(text === 'bad'));
    return { body: { id: 'modr-1', model: 'omni-moderation-latest', results } };
  });
  const plain = await client.moderations.create({ input: 'fine' });
  assert.equal(plain.results[0]?.flagged, false);
  assert.deepEqual(fake.last.json, { input: 'fine' });
  assert.equal(Number((await logged()).cost_usd), 0);
  const headers = { 'x-weir-pipeline': 'exact-cache' };
  const first = await client.moderations.create({ input: ['fine', 'bad'] }, { headers });
  const second = await client.moderations.create({ input: ['bad', 'new'] }, { headers });
  assert.deepEqual(
    [first, second].map(({ results }) => results.map(({ flagged }) => flagged)),
    [
      [false, true],
      [true, false],
    ],
  );
  assert.deepEqual(at(fake.last.json, 'input'), ['new']);
});

const ranking = { query: 'water', documents: ['taxes', 'a river'], top_n: 1 };

test('rerank is billed by searches at Cohere, in both versions of the path', async () => {
  const answer = {
    id: 'r1',
    results: [{ index: 1, relevance_score: 0.9 }],
    meta: { api_version: { version: '2' }, billed_units: { search_units: 3 } },
  };
  for (const path of ['/v1/rerank', '/v2/rerank']) {
    fake.answerWith({ body: answer });
    const { json } = await call(weir.url, { path, body: { model: 'rerank-v3.5', ...ranking } });
    assert.deepEqual(json, answer);
    assert.equal(fake.last.url, '/cohere/v2/rerank');
    // Two dollars for a thousand searches.
    assert.equal(await loggedCost(), '0.006');
  }
});

test("rerank has Cohere's form at Voyage and Jina", async () => {
  const document = { document: 'a river' };
  fake.answerWith({
    body: {
      object: 'list',
      data: [{ index: 1, relevance_score: 0.9, ...document }],
      model: 'rerank-2.5',
      usage: { total_tokens: 1000 },
    },
  });
  const voyage = await call(weir.url, {
    path: '/v2/rerank',
    body: { model: 'rerank-2.5', ...ranking, return_documents: true },
  });
  const { results, meta, data } = voyage.json;
  assert.deepEqual(results, [{ index: 1, relevance_score: 0.9, document: { text: 'a river' } }]);
  assert.deepEqual(meta, { tokens: { input_tokens: 1000 } });
  assert.deepEqual(data, [{ index: 1, relevance_score: 0.9, ...document }]);
  const { top_n: _, ...rest } = ranking;
  assert.deepEqual(fake.last.json, { model: 'rerank-2.5', ...rest, top_k: 1, return_documents: true });
  assert.equal(await loggedCost(), '0.00005');
  fake.answerWith({
    body: {
      model: 'jina-reranker-v3',
      usage: { total_tokens: 10 },
      results: [{ index: 1, relevance_score: 0.9 }],
    },
  });
  const jina = await call(weir.url, { path: '/v1/rerank', body: { model: 'jina-reranker-v3', ...ranking } });
  assert.deepEqual(at(jina.json, 'results', 0, 'index'), 1);
  assert.equal(fake.last.url, '/jina/rerank');
});

test('calls that a provider rejects cost nothing', async () => {
  const refusal = { status: 400, body: { error: { message: 'no', type: 'invalid_request_error' } } };
  for (const { path, body } of [
    { path: '/v1/images/generations', body: { model: 'gpt-image-1', prompt: 'x', n: 10 } },
    { path: '/v1/audio/speech', body: { model: 'tts-1', voice: 'alloy', input: 'x' } },
    { path: '/v1/rerank', body: { model: 'rerank-v3.5', ...ranking } },
  ]) {
    fake.answerWith(refusal);
    assert.equal((await call(weir.url, { path, body })).status, 400);
    assert.equal(Number((await logged()).cost_usd ?? 0), 0, path);
  }
});

test('a client that leaves in the middle of the sound is billed, and everything is settled', async () => {
  fake.answerWith({ headers: { 'content-type': 'audio/mpeg' }, chunks: ['sound'], ending: 'hang' });
  const leaving = new AbortController();
  const response = await client.audio.speech.create(
    { model: 'tts-1', voice: 'alloy', input: 'Splash'.repeat(100) },
    { signal: leaving.signal },
  );
  assert.equal(response.status, 200);
  leaving.abort();
  assert.equal(await fake.last.over, false);
  const entry = await eventually(async () => ((await logged()).ending === 'aborted' ? logged() : undefined));
  assert.deepEqual([entry.cost_usd, entry.cost_estimated], ['0.009', true]);
  assert.match(weir.gateway.metrics(), /^weir_open_calls 0$/m);
});

test('ceilings hold for units: a call that could exceed what is left is rejected', async (t) => {
  const cloud = await startCloud(t, addresses);
  const person = await Person.signUp(cloud.url);
  const { key } = await person.makeKey({ pipelineConfig: 'cost-guard?day=0.01' });
  const speak = (input: string) =>
    call(cloud.url, {
      path: '/v1/audio/speech',
      body: { model: 'tts-1', voice: 'alloy', input },
      headers: [...bearer(key), 'x-provider-key', 'sk-proj-x'],
    });
  fake.answerWith({ headers: { 'content-type': 'audio/mpeg' }, body: 'sound' });
  assert.equal((await speak('x'.repeat(600))).status, 200);
  const refused = await speak('x'.repeat(600));
  assert.equal(refused.status, 402, refused.text);
  assert.match(refused.text, /0\.009 USD spent/);
  assert.equal((await speak('x'.repeat(60))).status, 200);
  assert.match(cloud.gateway.metrics(), /^weir_orphaned_holds 0$/m);
});
