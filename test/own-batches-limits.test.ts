import assert from 'node:assert/strict';
import { after, beforeEach, type TestContext, test } from 'node:test';
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
const cloud = await startTestGateway({
  WEIR_MODE: 'cloud',
  WEIR_MISTRAL_BASE_URL: `${fake.url}/v1`,
  WEIR_BATCH_CALLS_PER_MINUTE: '1',
  WEIR_BATCH_FILE_BYTES: '4000',
  WEIR_BATCH_ACCOUNT_BYTES: '6000',
  WEIR_ACCOUNT_PROVIDERS: 'on',
  WEIR_EGRESS_ALLOW: `account-providers=${fake.url}`,
});
after(async () => {
  await cloud.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
  fake.answerWith((request) => chatAnswer(`Re: ${askedText(request)}`));
});

interface Owner {
  readonly person: Person;
  readonly key: string;
  readonly openai: OpenAI;
}

async function signUp(): Promise<Owner> {
  const person = await Person.signUp(cloud.url);
  await person.call({ method: 'PUT', path: '/v1/byok/mistral', body: { key: 'mistral-of-account' } });
  const { key } = await person.makeKey();
  return { person, key, openai: batchClient(cloud.url, key) };
}

/** Sets the clock of this process, which stands still from now on. */
function stopClock(t: TestContext): (ms: number) => void {
  let nowMs = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: nowMs });
  return (ms) => {
    nowMs += ms;
    t.mock.timers.setTime(nowMs);
  };
}

const isTooLarge = (error: unknown) =>
  error instanceof OpenAI.APIError && error.status === 413 && /delete some/.test(error.message);

test('no more calls of a batch begin in a minute than the operator allows', async (t) => {
  const { openai } = await signUp();
  const move = stopClock(t);
  const startMs = Date.now();
  const beganAt: number[] = [];
  fake.answerWith((request) => {
    beganAt.push(Date.now() - startMs);
    return chatAnswer(askedText(request));
  });
  const { id } = await makeBatch(openai, callFile(['1', '2', '3']));
  for (const count of [1, 2, 3]) {
    await eventually(async () =>
      (await openai.batches.retrieve(id)).request_counts?.completed === count ? true : undefined,
    );
    move(60_000);
  }
  assert.equal((await ended(openai, id)).status, 'completed');
  assert.deepEqual(beganAt, [0, 60_000, 120_000]);
});

test('after the completion window no call begins, and those under way end', async (t) => {
  const { openai } = await signUp();
  const move = stopClock(t);
  const held = Promise.withResolvers<void>();
  fake.answerWith(async (request) => {
    await held.promise;
    return chatAnswer(`Re: ${askedText(request)}`);
  });
  const input = await uploadCalls(openai, callFile(['1', '2', '3']));
  // OpenAI knows no other window than a day.
  const made = await openai.post<OpenAI.Batch>('/batches', {
    body: { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '1m' },
  });
  await eventually(() => fake.requests[0]);
  move(61_000);
  assert.equal((await openai.batches.retrieve(made.id)).status, 'in_progress');
  held.resolve();
  const batch = await ended(openai, made.id);
  assert.equal(batch.status, 'expired');
  assert.ok(typeof batch.expired_at === 'number');
  assert.deepEqual(batch.request_counts, { total: 3, completed: 1, failed: 2 });
  assert.deepEqual([...(await resultsIn(openai, batch.output_file_id)).keys()], ['call-0']);
  const errors = await resultsIn(openai, batch.error_file_id);
  assert.deepEqual(
    [...errors].map(([name, line]) => [name, at(line, 'error', 'code')]),
    [
      ['call-1', 'batch_expired'],
      ['call-2', 'batch_expired'],
    ],
  );
  assert.equal(fake.requests.length, 1);
});

test('files have as many bytes as the operator allows, one by one and those of an account together', async () => {
  const { openai } = await signUp();
  const ofBytes = (bytes: number) => callFile(['x'.repeat(bytes)]);
  await assert.rejects(uploadCalls(openai, ofBytes(4000)), isTooLarge);
  const first = await uploadCalls(openai, ofBytes(3500));
  await assert.rejects(uploadCalls(openai, ofBytes(3500)), isTooLarge);
  // What another account has does not count.
  await uploadCalls((await signUp()).openai, ofBytes(3500));
  await openai.files.delete(first);
  const together = await Promise.allSettled([1, 2, 3].map(() => uploadCalls(openai, ofBytes(3500))));
  const stored = together.filter(({ status }) => status === 'fulfilled');
  assert.ok(stored.length <= 1, `${stored.length} files`);
  for (const { id } of (await openai.files.list()).data) await openai.files.delete(id);
  await uploadCalls(openai, ofBytes(3500));
});

test("a batch may name an account's own providers, and nobody else's", async () => {
  const { openai, person } = await signUp();
  const body = { base_url: `${fake.url}/v1`, headers: { 'x-team': 'of ann' } };
  const defined = await person.call({ method: 'PUT', path: '/v1/providers/acme', body });
  assert.equal(defined.status, 200, defined.text);
  await person.call({ method: 'PUT', path: '/v1/byok/acme', body: { key: 'sk-of-ann' } });
  const batch = await ended(openai, (await makeBatch(openai, callFile(['Hi'], { model: 'acme/m-1' }))).id);
  assert.deepEqual(batch.request_counts, { total: 1, completed: 1, failed: 0 });
  const { headers, json } = fake.last;
  assert.deepEqual(
    [headers.authorization, headers['x-team'], json.model],
    ['Bearer sk-of-ann', 'of ann', 'm-1'],
  );
  const other = await signUp();
  const seen = fake.requests.length;
  const { id } = await makeBatch(other.openai, callFile(['Hi'], { model: 'acme/m-1' }));
  const refused = await ended(other.openai, id);
  const [line] = (await resultsIn(other.openai, refused.error_file_id)).values();
  assert.equal(at(line, 'response', 'status_code'), 404);
  assert.equal(fake.requests.length, seen);
});

test("Anthropic's form is refused with what to do instead", async () => {
  const { key } = await signUp();
  const params = {
    model: 'mistral-small-latest',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  };
  const { status, text } = await call(cloud.url, {
    path: '/v1/messages/batches',
    headers: [...bearer(key), 'x-weir-provider', 'weir'],
    body: { requests: [{ custom_id: 'a', params }] },
  });
  assert.equal(status, 404);
  assert.match(text, /\/v1\/files.*\/v1\/batches.*\/v1\/messages/);
});
