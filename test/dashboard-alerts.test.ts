import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { eventually } from './support/eventually.ts';
import { WebhookReceiver } from './support/webhook-receiver.ts';

const open = sharedBrowser();

test('alerts are created, tested, sent again, changed and deleted in the dashboard', async (t) => {
  const weir = await startTestGateway({});
  cleanUp(t, () => weir.close());
  const receiver = await WebhookReceiver.start(t);
  const { page, assertQuiet, close } = await open({ viewport: { width: 1440, height: 900 } });
  cleanUp(t, close);
  await page.goto(`${weir.url}/alerts`);
  await page.getByText('No alerts yet.').waitFor();
  await page.getByRole('button', { name: 'New alert' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByText('Mail', { exact: true }).count(), 0, 'a local gateway sends none');
  await dialog.getByRole('textbox', { name: 'Address' }).fill('ftp://example.com');
  await dialog.getByLabel('A model answers again').uncheck();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText(/must begin with https:\/\/ or http:\/\//).waitFor();
  await assertAccessible(page, '[role=dialog]');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/weir`);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('shown only this once').waitFor();
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const { host } = new URL(receiver.url);
  await page.getByText('budget.threshold, budget.exceeded').waitFor();
  await assertAccessible(page);

  receiver.status = 500;
  await page.getByRole('button', { name: `Test ${host}` }).click();
  await dialog.getByText(/1 attempt · the server answered 500 · next attempt at/).waitFor();
  await page.keyboard.press('Escape');
  receiver.status = 204;
  await page.getByRole('button', { name: `Test ${host}` }).click();
  await dialog.getByText('1 attempt · the server answered 204').waitFor();
  await assertAccessible(page, '[role=dialog]');
  const before = receiver.messages.length;
  await dialog
    .getByRole('button', { name: /^Send again: webhook\.test/ })
    .first()
    .click();
  await eventually(() => (receiver.messages.length > before ? true : undefined));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertReadable(page);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: `Edit ${host}` }).click();
  await dialog.getByRole('switch', { name: 'Enabled' }).click();
  await assertReadable(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Disabled: switched off by the account holder.').waitFor();
  await assertReadable(page);
  await page.getByRole('button', { name: `Edit ${host}` }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByText('For 24 hours').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: `Delete ${host}` }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No alerts yet.').waitFor();
  assertQuiet();
});
