import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { createGateway } from '../src/index.ts';
import { assertAccessible, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';

const open = sharedBrowser();
const moduleApi = new URL('../src/module-api.ts', import.meta.url).href;
registerHooks({
  resolve: (name, context, next) =>
    name === 'weir-gateway/module' ? { url: moduleApi, shortCircuit: true } : next(name, context),
});

test('a module has a page that it describes, with paging, actions, details and forms', async (t) => {
  const { default: tally } = await import('../examples/module-tally/index.js');
  const gateway = createGateway({ modules: [tally], dashboard: true });
  cleanUp(t, () => gateway.stop());
  const url = await gateway.start();
  const path = '/v1/modules/tally/answers';
  const { page, assertQuiet, close } = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, close);

  await page.goto(url);
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Tally' }).click();
  await page.getByText('Nothing has been counted yet.').waitFor();
  await assertAccessible(page);

  await page.getByRole('button', { name: 'Count one' }).click();
  await page.getByLabel('Model').fill('model-by-hand');
  await assertAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Count one' }).click();
  await page.getByRole('cell', { name: 'model-by-hand' }).waitFor();

  await page.getByRole('button', { name: 'Details' }).click();
  await page
    .getByRole('dialog')
    .getByText(/^by-hand-\d+$/)
    .waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByText('Forget this answer?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
  await page.getByText('Nothing has been counted yet.').waitFor();
  assert.deepEqual((await call(url, { path })).json, { answers: [] });

  for (let at = 0; at < 21; at++) await call(url, { path, body: { model: `model-${at}` } });
  await page.reload();
  await page.getByRole('cell', { name: 'model-20' }).waitFor();
  assert.equal(await page.getByRole('cell', { name: 'model-0', exact: true }).count(), 0);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('cell', { name: 'model-0', exact: true }).waitFor();
  await page.goto(`${url}/modules/none`);
  await page.getByRole('heading', { name: /not found/i }).waitFor();
  assertQuiet();
});
