import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';

const open = sharedBrowser();

test('somebody adds a provider, gives it a key, tests, changes and removes it', async (t) => {
  const server = await FakeUpstream.start({ body: { data: [] } });
  cleanUp(t, () => server.close());
  const weir = await startTestGateway();
  cleanUp(t, () => weir.close());
  const opened = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, opened.close);
  const { page } = opened;
  const stored = async () => (await call(weir.url, { path: '/v1/providers/acme' })).json;
  await page.goto(`${weir.url}/provider-keys`);
  await page.getByRole('button', { name: 'Add a provider' }).click();
  await page.getByLabel('Name').fill('acme');
  await page.getByLabel('Kind').selectOption('openai');
  await page.getByLabel('Address').fill(`${server.url}/v1`);
  await page.getByLabel('Models').fill('gpt-5\ngpt-5-mini');
  await page.getByLabel('Headers').fill('x-team: search');
  await page.getByLabel('Further settings, as JSON').fill('{"timeouts": {"answer": "1m"}}');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Add a key for acme' }).click();
  await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill('sk-of-the-test-1234');
  await page.getByRole('dialog').getByRole('button', { name: 'Store' }).click();
  await page.getByRole('button', { name: 'Test acme' }).click();
  await page.getByText('works', { exact: true }).waitFor();
  const [request] = server.requests;
  assert.deepEqual(
    [request?.url, request?.headers['x-team'], request?.headers.authorization],
    ['/v1/models', 'search', 'Bearer sk-of-the-test-1234'],
  );
  const { models, timeouts, headers, has_key: hasKey } = await stored();
  assert.deepEqual(
    { models, timeouts, headers, hasKey },
    { models: ['gpt-5', 'gpt-5-mini'], timeouts: { answer: '1m' }, headers: ['x-team'], hasKey: true },
  );
  // A header without a value stays as it is.
  await page.getByRole('button', { name: 'Edit acme' }).click();
  await page.getByLabel('Models').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^All models/).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual((await stored()).headers, ['x-team']);
  await page.setViewportSize({ width: 390, height: 844 });
  await assertReadable(page);
  await page.getByRole('button', { name: 'Remove acme' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('None yet.').waitFor();
  assert.equal((await call(weir.url, { path: '/v1/providers/acme' })).status, 404);
  opened.assertQuiet();
});
