import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
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
import { startCall } from './support/call.ts';
import { Person } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { replicaSettings } from './support/replicas.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const fake = await FakeUpstream.start();
after(() => fake.close());

/** How often each call was sent. */
function timesSent(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const request of fake.requests)
    counts.set(askedText(request), (counts.get(askedText(request)) ?? 0) + 1);
  return counts;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `call ${index}`);

test('a killed gateway goes on after its restart: what was sent is not sent again', async (t) => {
  const environment = {
    MISTRAL_API_KEY: 'mistral-tests',
    WEIR_MISTRAL_BASE_URL: `${fake.url}/v1`,
    WEIR_DATA_DIR: emptyFolder(t),
    WEIR_BATCH_CALLS_AT_ONCE: '4',
  };
  fake.requests.length = 0;
  let held = Promise.withResolvers<void>();
  fake.answerWith(async (request) => {
    if (fake.requests.length > 10) await held.promise;
    return chatAnswer(`Re: ${askedText(request)}`);
  });
  let gateway = new WeirProcess(t, { environment });
  const url = await gateway.listening;
  const openai = batchClient(url);
  const { id } = await makeBatch(openai, callFile(names(20)));
  // Another batch, all of whose calls wait, and an upload that never ends.
  const waiting = await makeBatch(openai, callFile(names(3)));
  const upload = startCall(url, {
    method: 'POST',
    path: '/v1/files',
    headers: [
      'x-weir-provider',
      'weir',
      'content-type',
      'multipart/form-data; boundary=b',
      'content-length',
      '100000',
    ],
  });
  upload.request.on('error', () => undefined);
  upload.response.catch(() => undefined);
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
  upload.request.write(part + callFile(names(20)));
  await eventually(async () => {
    const { request_counts: counts } = await openai.batches.retrieve(id);
    return (counts?.completed ?? 0) >= 5 && fake.requests.length >= 14 ? true : undefined;
  });
  gateway.signal('SIGKILL');
  await gateway.exited;
  held.resolve();
  held = Promise.withResolvers();
  held.resolve();
  const underWay = fake.requests.length;
  gateway = new WeirProcess(t, { environment });
  const again = batchClient(await gateway.listening);
  const batches = [await ended(again, id), await ended(again, waiting.id)];
  assert.deepEqual(
    batches.map(({ status }) => status),
    ['completed', 'completed'],
  );
  const calls = batches.map(({ request_counts: counts }) => (counts?.completed ?? 0) + (counts?.failed ?? 0));
  assert.deepEqual(calls, [20, 3]);
  assert.ok(fake.requests.length > underWay);
  // Of 23 calls, each was sent once; those under way have no answer, and say so.
  assert.equal(fake.requests.length, 23);
  const sent = timesSent();
  for (const name of names(20)) assert.ok((sent.get(name) ?? 0) <= 2, name);
  const errors = await Promise.all(batches.map((batch) => resultsIn(again, batch.error_file_id)));
  const codes = errors.flatMap((lines) => [...lines.values()].map((line) => at(line, 'error', 'code')));
  assert.deepEqual(new Set(codes), new Set(['answer_unknown']));
  assert.ok(codes.length <= 4, String(codes.length));
  for (const batch of batches) {
    const answers = await resultsIn(again, batch.output_file_id);
    for (const [name, line] of answers) {
      const content = at(line, 'response', 'body', 'choices', 0, 'message', 'content');
      assert.equal(content, `Re: call ${name.slice('call-'.length)}`);
    }
  }
  assert.ok((await uploadCalls(again, callFile(['one']))) !== '');
});

test('another replica takes over the batches of one that was killed', async (t) => {
  const environment = {
    ...(await replicaSettings(t)),
    WEIR_MODE: 'cloud',
    WEIR_MISTRAL_BASE_URL: `${fake.url}/v1`,
    WEIR_BATCH_CALLS_AT_ONCE: '2',
  };
  fake.requests.length = 0;
  const held = Promise.withResolvers<void>();
  fake.answerWith(async (request) => {
    if (fake.requests.length > 20) await held.promise;
    return chatAnswer(`Re: ${askedText(request)}`);
  });
  const replicas = [0, 1].map(() => new WeirProcess(t, { environment }));
  const urls = await Promise.all(replicas.map(({ listening }) => listening));
  const person = await Person.signUp(String(urls[1]));
  await person.call({ method: 'PUT', path: '/v1/byok/mistral', body: { key: 'mistral-of-account' } });
  const { key } = await person.makeKey();
  const [one, other] = urls.map((url) => batchClient(url, key));
  if (one === undefined || other === undefined) throw new Error('there are two replicas');
  // The replica that makes a batch runs it, as a rule.
  const made = await Promise.all(
    [0, 1, 2].map((batch) => makeBatch(one, callFile(names(12).map((name) => `${batch} ${name}`)))),
  );
  await eventually(() => (fake.requests.length >= 22 ? true : undefined));
  replicas[0]?.signal('SIGKILL');
  await replicas[0]?.exited;
  held.resolve();
  const batches = await Promise.all(made.map(({ id }) => ended(other, id)));
  for (const { status, request_counts: counts } of batches) {
    assert.equal(status, 'completed');
    assert.equal((counts?.completed ?? 0) + (counts?.failed ?? 0), 12);
  }
  assert.equal(fake.requests.length, 36);
  assert.equal(timesSent().size, 36);
  const errors = await Promise.all(batches.map((batch) => resultsIn(other, batch.error_file_id)));
  const codes = errors.flatMap((lines) => [...lines.values()].map((line) => at(line, 'error', 'code')));
  assert.ok(codes.length <= 2 && codes.every((code) => code === 'answer_unknown'), codes.join());
});
