import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { askedText, batchClient, callFile, chatAnswer, ended, makeBatch } from './support/batch-calls.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { emptyFolder } from './support/weir-process.ts';

const open = sharedBrowser();

test('the dashboard shows batches with their progress, cancels them and has their results', async (t) => {
  const fake = await FakeUpstream.start();
  cleanUp(t, () => fake.close());
  const held = Promise.withResolvers<void>();
  fake.answerWith(async (request) => {
    const text = askedText(request);
    if (text.startsWith('slow')) await held.promise;
    return text === 'bad' ? { status: 400, body: { message: 'no' } } : chatAnswer(`Re: ${text}`);
  });
  const weir = await startTestGateway({
    MISTRAL_API_KEY: 'mistral-tests',
    WEIR_MISTRAL_BASE_URL: `${fake.url}/v1`,
  });
  cleanUp(t, () => weir.close());
  const openai = batchClient(weir.url);
  const done = await ended(openai, (await makeBatch(openai, callFile(['one', 'two', 'bad']))).id);
  const slow = await makeBatch(openai, callFile(Array.from({ length: 30 }, (_, index) => `slow ${index}`)));
  await eventually(() => (fake.requests.length === 11 ? true : undefined));
  const { page, close, assertQuiet } = await open({ viewport: { width: 1440, height: 900 } });
  cleanUp(t, close);
  await page.goto(`${weir.url}/`);
  await page.getByRole('link', { name: 'Batches', exact: true }).first().click();
  await page.getByText('3 of 3, 1 failed').waitFor();
  await page.getByText('0 of 30').waitFor();
  await assertAccessible(page);
  const folder = emptyFolder(t);
  for (const [which, pattern] of [
    ['answers', /"custom_id":"call-1".*Re: two/],
    ['errors', /"custom_id":"call-2".*"status_code":400/],
  ] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: `Download the ${which} of ${done.id}` }).click();
    const file = join(folder, which);
    await (await download).saveAs(file);
    assert.match(readFileSync(file, 'utf8'), pattern);
  }
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await assertReadable(page);
      await assertAccessible(page);
      const { WEIR_PICTURES: pictures } = process.env;
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `batches-${width}-${colorScheme}.png`) });
    }
  await page.getByRole('button', { name: `Cancel ${slow.id}` }).click();
  await page.getByRole('button', { name: 'Cancel the batch' }).click();
  await page.getByText('cancelling', { exact: true }).waitFor();
  held.resolve();
  await page.getByText('30 of 30, 22 failed').waitFor();
  assert.equal(fake.requests.length, 11);
  assertQuiet();
});

test('the list of batches is for account holders, and has those of the account alone', async (t) => {
  const fake = await FakeUpstream.start((request) => chatAnswer(askedText(request)));
  cleanUp(t, () => fake.close());
  const cloud = await startCloud(t, { WEIR_MISTRAL_BASE_URL: `${fake.url}/v1` });
  const person = await Person.signUp(cloud.url);
  await person.call({ method: 'PUT', path: '/v1/byok/mistral', body: { key: 'mistral-of-account' } });
  const { key } = await person.makeKey();
  const openai = batchClient(cloud.url, key);
  const { id } = await ended(openai, (await makeBatch(openai, callFile(['one']))).id);
  const { json } = await person.call({ path: '/v1/batch-runs' });
  const { created_at: _, ...batch } = Object(json.batches)[0];
  assert.deepEqual(batch, {
    ...{ id, provider: 'weir', is_own: true, state: 'completed', calls: 1, completed: 1, failed: 0 },
    ...{ cost_usd: '0.00045', results: ['answers'] },
  });
  const stranger = await Person.signUp(cloud.url);
  assert.deepEqual((await stranger.call({ path: '/v1/batch-runs' })).json, { batches: [] });
  for (const sent of [
    { path: `/v1/batch-runs/${id}/results` },
    { method: 'POST', path: `/v1/batch-runs/${id}/cancel` },
  ])
    assert.equal((await stranger.call(sent)).status, 404);
  const headers = ['authorization', `Bearer ${key}`];
  assert.equal((await call(cloud.url, { path: '/v1/batch-runs', headers })).status, 401);
});
