import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import OpenAI from 'openai';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import {
  askedText,
  batchClient,
  callFile,
  chatAnswer,
  ended,
  makeBatch,
  resultsIn,
  uploadCalls,
} from './support/batch-calls.ts';
import { call } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';

const fake = await FakeUpstream.start();
const addresses = {
  WEIR_MISTRAL_BASE_URL: `${fake.url}/v1`,
  WEIR_OPENAI_BASE_URL: `${fake.url}/openai`,
  WEIR_ANTHROPIC_BASE_URL: fake.url,
};
const local = await startTestGateway({ ...addresses, MISTRAL_API_KEY: 'mistral-tests' });
const cloud = await startTestGateway({ WEIR_MODE: 'cloud', ...addresses });
after(async () => {
  await Promise.all([local.close(), cloud.close()]);
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
  fake.answerWith((request) => chatAnswer(`Re: ${askedText(request)}`));
});

const text = (line: unknown) => at(line, 'response', 'body', 'choices', 0, 'message', 'content');

/** Somebody with a key, and a stored key of Mistral. */
async function signUp(
  fields: object = {},
): Promise<{ person: Person; key: string; keyId: string; openai: OpenAI }> {
  const person = await Person.signUp(cloud.url);
  await person.call({ method: 'PUT', path: '/v1/byok/mistral', body: { key: 'mistral-of-account' } });
  const { key, id: keyId } = await person.makeKey(fields);
  return { person, key, keyId, openai: batchClient(cloud.url, key) };
}

const isError = (status: number, message?: RegExp) => (error: unknown) =>
  error instanceof OpenAI.APIError && error.status === status && (message?.test(error.message) ?? true);

test("OpenAI's SDK makes a batch for a provider without batches, and reads its results", async () => {
  const openai = batchClient(local.url);
  const made = await makeBatch(openai, callFile(['one', 'two', 'three']));
  assert.equal(made.status, 'in_progress');
  assert.deepEqual(made.request_counts, { total: 3, completed: 0, failed: 0 });
  const batch = await ended(openai, made.id);
  assert.equal(batch.status, 'completed');
  assert.deepEqual(batch.request_counts, { total: 3, completed: 3, failed: 0 });
  assert.equal(batch.error_file_id, null);
  const results = await resultsIn(openai, batch.output_file_id);
  assert.deepEqual([...results.keys()], ['call-0', 'call-1', 'call-2']);
  assert.equal(text(results.get('call-1')), 'Re: two');
  assert.equal(at(results.get('call-1'), 'response', 'status_code'), 200);
  assert.equal(at(results.get('call-1'), 'error'), null);
  assert.deepEqual(fake.requests.map(askedText).sort(), ['one', 'three', 'two']);
  // Each is an ordinary call.
  const id = String(at(results.get('call-0'), 'response', 'request_id'));
  const logged = await eventually(async () => {
    const { json, status } = await call(local.url, { path: `/v1/requests/${id}` });
    return status === 200 ? json : undefined;
  });
  assert.equal(logged.provider, 'mistral');
  const listed = await openai.batches.list();
  assert.deepEqual(
    listed.data.map((one) => [one.id, one.status]),
    [[made.id, 'completed']],
  );
  const content = await (await openai.files.content(String(made.input_file_id))).text();
  assert.equal(content.trim(), callFile(['one', 'two', 'three']));
  await openai.files.delete(String(batch.output_file_id));
  await assert.rejects(openai.files.content(String(batch.output_file_id)), isError(404));
});

test('the calls may have any JSON path: embeddings of the gateway itself, and messages', async () => {
  const openai = batchClient(local.url);
  const lines = ['a', 'b'].map((custom_id) =>
    JSON.stringify({ custom_id, url: '/v1/embeddings', body: { model: 'weir/minilm', input: ['river'] } }),
  );
  const batch = await ended(openai, (await makeBatch(openai, lines.join('\r\n'), '/v1/embeddings')).id);
  const results = await resultsIn(openai, batch.output_file_id);
  const vector = at(results.get('b'), 'response', 'body', 'data', 0, 'embedding');
  assert.ok(Array.isArray(vector) && vector.length === 384);
  // The gateway's name may stand in front of any model.
  const named = callFile(['one'], { model: 'weir/demo-1' });
  const demo = await ended(openai, (await makeBatch(openai, named)).id);
  assert.equal(demo.request_counts?.completed, 1);
});

test('a call that fails is in the file of errors with its response, and the others go on', async () => {
  fake.answerWith((request) =>
    askedText(request) === 'bad'
      ? { status: 400, body: { object: 'error', message: 'no such thing', type: 'invalid_request_error' } }
      : chatAnswer('fine'),
  );
  const openai = batchClient(local.url);
  const batch = await ended(openai, (await makeBatch(openai, callFile(['good', 'bad', 'good']))).id);
  assert.equal(batch.status, 'completed');
  assert.deepEqual(batch.request_counts, { total: 3, completed: 2, failed: 1 });
  const errors = await resultsIn(openai, batch.error_file_id);
  assert.deepEqual([...errors.keys()], ['call-1']);
  assert.equal(at(errors.get('call-1'), 'response', 'status_code'), 400);
  assert.equal((await resultsIn(openai, batch.output_file_id)).size, 2);
  assert.equal(fake.requests.length, 3);
});

test('what a provider refuses for the moment is sent again when it says so', async () => {
  let refusals = 0;
  fake.answerWith(() => {
    if (refusals >= 3) return chatAnswer('fine');
    refusals++;
    return refusals === 2
      ? { status: 503, body: { message: 'overloaded' } }
      : { status: 429, headers: { 'retry-after': '1' }, body: { message: 'slower' } };
  });
  const openai = batchClient(local.url);
  const batch = await ended(openai, (await makeBatch(openai, callFile(['one', 'two']))).id);
  const errors =
    batch.error_file_id == null ? [] : [...(await resultsIn(openai, batch.error_file_id)).values()];
  assert.deepEqual(errors, []);
  assert.deepEqual(batch.request_counts, { total: 2, completed: 2, failed: 0 });
  assert.equal(fake.requests.length, 5);
});

test('an answer that breaks off may have been billed, and is not asked for again', async () => {
  fake.answerWith(() => ({
    ...chatAnswer('x'),
    chunks: ['{"id":'],
    ending: 'cut',
    headers: { 'content-type': 'application/json' },
  }));
  const openai = batchClient(local.url);
  const batch = await ended(openai, (await makeBatch(openai, callFile(['one']))).id);
  assert.deepEqual(batch.request_counts, { total: 1, completed: 0, failed: 1 });
  assert.equal((await resultsIn(openai, batch.error_file_id)).size, 1);
  assert.equal(fake.requests.length, 1);
});

test('a cancelled batch sends no further calls, and has the answers that came before', async () => {
  const held = Promise.withResolvers<void>();
  fake.answerWith(async (request) => {
    await held.promise;
    return chatAnswer(askedText(request));
  });
  const openai = batchClient(local.url);
  const calls = Array.from({ length: 40 }, (_, index) => `call ${index}`);
  const { id, input_file_id: input } = await makeBatch(openai, callFile(calls));
  await eventually(() => (fake.requests.length === 8 ? true : undefined));
  await assert.rejects(openai.files.delete(input), isError(400, /needs this file/));
  assert.equal((await openai.batches.cancel(id)).status, 'cancelling');
  held.resolve();
  const batch = await ended(openai, id);
  assert.equal(batch.status, 'cancelled');
  assert.equal(fake.requests.length, 8);
  assert.deepEqual(batch.request_counts, { total: 40, completed: 8, failed: 32 });
  const errors = await resultsIn(openai, batch.error_file_id);
  assert.equal(at(errors.get('call-20'), 'error', 'code'), 'batch_cancelled');
  await openai.files.delete(input);
});

test('a file whose lines are no calls is refused with the line', async () => {
  const openai = batchClient(local.url);
  const line = callFile(['one']);
  const changed = (fields: object) => JSON.stringify({ ...JSON.parse(line), custom_id: 'x', ...fields });
  for (const [content, why] of [
    ['', /no calls/],
    ['\n \r\n', /no calls/],
    [`${line}\n\nnot JSON`, /call 2 .*JSON/],
    [`${line}\n${line}`, /call 2 .*same "custom_id"/],
    [changed({ custom_id: undefined }), /custom_id/],
    [changed({ custom_id: 'x'.repeat(513) }), /custom_id/],
    [changed({ method: 'GET' }), /method/],
    [changed({ url: '/v1/files' }), /can't be in a batch/],
    [changed({ url: '/v1/batches' }), /can't be in a batch/],
    [changed({ url: '/v1/keys' }), /can't be in a batch/],
    [`${line}\n${changed({ url: '/v1/embeddings' })}`, /same "url"/],
    [changed({ body: [] }), /must be an object/],
    [changed({ body: {} }), /names no model/],
    [changed({ body: { model: 'm', stream: true } }), /"stream"/],
    [changed({ body: { model: 'm', background: true } }), /"background"/],
  ] as const)
    await assert.rejects(uploadCalls(openai, content), isError(400, why), String(why));
  assert.equal(
    (await openai.files.list()).data.filter(({ purpose }) => purpose === 'batch').length > 0,
    true,
  );
  const headers = ['x-weir-provider', 'weir', 'content-type', 'multipart/form-data; boundary=b'];
  const part = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  for (const body of [
    part('file', line),
    `${part('purpose', 'user_data')}${part('file', line)}--b--\r\n`,
    `${part('file', line)}--b--\r\n`,
  ]) {
    const { status } = await call(local.url, { path: '/v1/files', headers, body });
    assert.equal(status, 400);
  }
});

test('a batch is refused if its request is wrong', async () => {
  const openai = batchClient(local.url);
  const input = await uploadCalls(openai, callFile(['one']));
  const request = { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' };
  for (const [fields, status] of [
    [{ endpoint: '/v1/embeddings' }, 400],
    [{ completion_window: '8d' }, 400],
    [{ completion_window: 24 }, 400],
    [{ metadata: { a: 1 } }, 400],
    [{ input_file_id: 'file-unknown' }, 404],
  ] as const) {
    const body = { ...request, ...fields };
    const refused = await call(local.url, {
      path: '/v1/batches',
      headers: ['x-weir-provider', 'weir'],
      body,
    });
    assert.equal(refused.status, status, refused.text);
  }
});

test('files and batches of the gateway belong to the account that made them', async () => {
  const { openai } = await signUp();
  const made = await makeBatch(openai, callFile(['one']));
  const { output_file_id: output } = await ended(openai, made.id);
  assert.equal(fake.last.headers.authorization, 'Bearer mistral-of-account');
  const { openai: other } = await signUp();
  await assert.rejects(other.batches.retrieve(made.id), isError(404));
  await assert.rejects(other.batches.cancel(made.id), isError(404));
  await assert.rejects(other.files.content(String(output)), isError(404));
  await assert.rejects(other.files.delete(made.input_file_id), isError(404));
  await assert.rejects(
    other.batches.create({
      input_file_id: made.input_file_id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    }),
    isError(404),
  );
  assert.deepEqual((await other.batches.list()).data, []);
});

test('a batch uses stored keys: one that came with the request is refused in clear words', async () => {
  const person = await Person.signUp(cloud.url);
  const { key } = await person.makeKey();
  const withKey = batchClient(cloud.url, key, { 'x-provider-key': 'mistral-of-request' });
  await assert.rejects(makeBatch(withKey, callFile(['one'])), isError(400, /leave x-provider-key out/));
  await assert.rejects(
    makeBatch(batchClient(cloud.url, key), callFile(['one'])),
    isError(401, /uses keys that are stored.*with PUT \/v1\/byok\/mistral$/),
  );
  assert.equal(fake.requests.length, 0);
});

test('ceilings, access rules and a revoked key hold for each call', async () => {
  const first = Promise.withResolvers<void>();
  fake.answerWith(async () => {
    await first.promise;
    return chatAnswer('x');
  });
  // A call may cost 0.00064 dollars, and costs 0.00045: two are admitted.
  const { openai, person, keyId } = await signUp({ pipelineConfig: 'cost-guard?day=0.0015' });
  const costly = callFile(['1', '2', '3', '4', '5'], { max_tokens: 1000 });
  const made = await makeBatch(openai, costly);
  await eventually(() => (fake.requests.length === 2 ? true : undefined));
  first.resolve();
  const batch = await ended(openai, made.id);
  assert.deepEqual(batch.request_counts, { total: 5, completed: 2, failed: 3 }, JSON.stringify(batch));
  const errors = await resultsIn(openai, batch.error_file_id);
  assert.deepEqual(
    [...errors.values()].map((line) => at(line, 'response', 'status_code')),
    [402, 402, 402],
  );
  assert.equal(fake.requests.length, 2);
  const access = { method: 'PUT', path: `/v1/keys/${keyId}/access`, body: { models: ['mistral-large*'] } };
  await person.call(access);
  const forbidden = await ended(openai, (await makeBatch(openai, callFile(['1']))).id);
  const [line] = (await resultsIn(openai, forbidden.error_file_id)).values();
  assert.equal(at(line, 'response', 'status_code'), 403);
  const used = await signUp();
  const held = Promise.withResolvers<void>();
  fake.answerWith(async () => {
    await held.promise;
    return chatAnswer('x');
  });
  const seen = fake.requests.length;
  const { id } = await makeBatch(used.openai, callFile(Array.from({ length: 20 }, String)));
  await eventually(() => (fake.requests.length === seen + 8 ? true : undefined));
  await used.person.call({ method: 'DELETE', path: `/v1/keys/${used.keyId}` });
  held.resolve();
  const reader = batchClient(cloud.url, (await used.person.makeKey()).key);
  const revoked = await ended(reader, id);
  assert.deepEqual(revoked.request_counts, { total: 20, completed: 8, failed: 12 });
  assert.equal(fake.requests.length, seen + 8);
});

test('a batch of a protected key runs each call through its modules', async () => {
  const { openai, key } = await signUp({ pipelineConfig: 'guardrails?pii=redact' });
  const batch = await ended(
    openai,
    (await makeBatch(openai, callFile(['Write to ann@example.com', 'Nothing to hide']))).id,
  );
  const sent = fake.requests.map(askedText).join('\n');
  assert.doesNotMatch(sent, /ann@example\.com/);
  assert.match(sent, /Write to /);
  const results = await resultsIn(openai, batch.output_file_id);
  assert.equal(text(results.get('call-0')), 'Re: Write to ann@example.com');
  // A provider's batch is refused as before: nobody could redact what it gets.
  const headers = { 'x-weir-provider': 'openai', 'x-provider-key': 'sk-x' };
  await assert.rejects(
    uploadCalls(batchClient(cloud.url, key, headers), callFile(['one'])),
    isError(400, /guardrails/),
  );
});

test('the pipeline and tags of the request that makes a batch are those of its calls', async () => {
  const { key, person } = await signUp();
  const openai = batchClient(cloud.url, key, {
    'x-weir-pipeline': 'exact-cache',
    'x-weir-tags': 'job=night',
  });
  const batch = await ended(openai, (await makeBatch(openai, callFile(['one']))).id);
  const [line] = (await resultsIn(openai, batch.output_file_id)).values();
  const id = String(at(line, 'response', 'request_id'));
  const logged = await eventually(async () => {
    const { json, status } = await person.call({ path: `/v1/requests/${id}` });
    return status === 200 ? json : undefined;
  });
  assert.deepEqual([logged.tags, logged.pipeline], [{ job: 'night' }, 'exact-cache']);
  await ended(openai, (await makeBatch(openai, callFile(['one']))).id);
  assert.equal(fake.requests.length, 1);
});

test('an account that is deleted leaves nothing of its batches', async () => {
  const { openai, person, key } = await signUp();
  const held = Promise.withResolvers<void>();
  fake.answerWith(async () => {
    await held.promise;
    return chatAnswer('x');
  });
  await makeBatch(openai, callFile(Array.from({ length: 20 }, String)));
  await eventually(() => (fake.requests.length === 8 ? true : undefined));
  const gone = await person.call({
    method: 'DELETE',
    path: '/v1/users/me',
    body: { password: 'correct horse battery' },
  });
  assert.ok(gone.status < 300, gone.text);
  held.resolve();
  await eventually(() => /^weir_own_batches_running 0$/m.test(cloud.gateway.metrics()) || undefined);
  assert.equal(fake.requests.length, 8);
  assert.equal((await call(cloud.url, { path: '/v1/batches', headers: bearer(key) })).status, 401);
});
