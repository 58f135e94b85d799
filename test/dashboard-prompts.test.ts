import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertAccessible, assertReadable, goWithin, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';

const open = sharedBrowser();

test('prompts are written, tried, compared, rolled back and deleted', async (t) => {
  const weir = await startTestGateway();
  t.after(() => weir.close());
  const { page, assertQuiet } = await open();
  await page.goto(`${weir.url}/prompts`);
  await page.getByText('No prompts yet.').waitFor();
  await page.getByRole('button', { name: 'New prompt' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('support');
  await dialog.getByLabel('Instructions').fill('You help {{customer}} of {{company}}.\nBe {{');
  await dialog.getByRole('button', { name: 'Add a message' }).click();
  await dialog.getByLabel('Text of message 1').fill('I am {{customer}}.');
  await dialog.getByRole('textbox', { name: 'company' }).fill('Acme');
  await dialog.getByLabel('Model').fill('demo-1');
  await dialog.getByLabel('Labels to move to it').fill('prod, staging');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText(/is no variable/).waitFor();
  await assertAccessible(page, '[role=dialog]');
  await dialog.getByLabel('Instructions').fill('You help {{customer}} of {{company}}.\nBe brief.');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/open=support/);
  const labels = page.getByRole('list', { name: 'Labels' });
  await labels.getByText('prod').waitFor();
  await assertAccessible(page);

  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByText(/needs values for customer/).waitFor();
  await page.getByRole('textbox', { name: 'customer' }).fill('Ann');
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByText('You help Ann of Acme.').waitFor();

  await page.getByRole('button', { name: 'New version' }).click();
  await dialog.getByLabel('Instructions').fill('You help {{customer}} of {{company}}.\nBe friendly.');
  await dialog.getByLabel('Note').fill('friendlier');
  await dialog.getByRole('button', { name: 'Store' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('friendlier').waitFor();
  await page.getByRole('button', { name: 'Show version 2' }).click();
  const changes = page.getByRole('region', { name: 'Changes from version 1 to 2' });
  await changes.locator('ins', { hasText: 'Be friendly.' }).waitFor();
  await changes.locator('del', { hasText: 'Be brief.' }).waitFor();
  for (const version of ['2', '1']) {
    const moved = page.waitForResponse((response) => response.url().endsWith('/labels/prod'));
    await labels.getByLabel('Version of prod').selectOption(version);
    await moved;
    const { headers } = await call(weir.url, {
      path: '/v1/messages',
      body: {
        model: 'prompt:support@prod',
        max_tokens: 9,
        messages: [],
        prompt: { variables: { customer: 'A' } },
      },
    });
    assert.equal(headers['x-weir-prompt'], `support@${version}`);
  }
  await page.getByRole('button', { name: 'Delete label staging' }).click();
  await labels.getByText('staging').waitFor({ state: 'detached' });
  await assertAccessible(page);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await assertReadable(page);
  }
  if (process.env.PICTURES !== undefined)
    await page.screenshot({ path: `${process.env.PICTURES}/prompt.png`, fullPage: true });
  await page.setViewportSize({ width: 390, height: 800 });
  const isWider = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
  assert.equal(isWider, false, 'the page fits a phone');
  if (process.env.PICTURES !== undefined)
    await page.screenshot({ path: `${process.env.PICTURES}/phone.png`, fullPage: true });
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('link', { name: 'Calls with it' }).click();
  await page.waitForURL(/requests\?tag=weir\.prompt(:|%3A)support/);
  await page.getByText('demo-1').first().waitFor();
  await goWithin(page, '/prompts?open=support');
  await page.getByRole('textbox', { name: 'customer' }).fill('Ann');
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByRole('button', { name: 'Open in playground' }).click();
  await page.waitForURL(/playground/);
  await page.getByText('I am Ann.').first().waitFor();

  await goWithin(page, '/prompts');
  const list = page.getByRole('list', { name: 'Prompts' });
  await list.getByText('prod → 1').waitFor();
  await assertAccessible(page);
  if (process.env.PICTURES !== undefined)
    await page.screenshot({ path: `${process.env.PICTURES}/list.png`, fullPage: true });
  await list.getByRole('link', { name: 'support', exact: true }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
  await dialog.getByLabel('Type support to delete it').fill('support');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No prompts yet.').waitFor();
  await goWithin(page, '/prompts?open=gone');
  await page.getByText(/this account has no prompt/i).waitFor();
  assertQuiet();
});
