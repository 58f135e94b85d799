import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, password, startCloud } from './support/cloud.ts';
import { ask } from './support/organization-budgets.ts';
import { recordedMessage, saysMessage } from './support/recorded-messages.ts';

const open = sharedBrowser();

test('budgets are created, watched, changed and deleted in the dashboard', async (t) => {
  const fake = await FakeUpstream.start(saysMessage(recordedMessage()));
  t.after(() => fake.close());
  const weir = await startCloud(t, { WEIR_ANTHROPIC_BASE_URL: fake.url });
  const person = await Person.signUp(weir.url);
  const { key } = await person.makeKey({ name: 'bot' });
  const { page, assertQuiet, close } = await open({ viewport: { width: 1440, height: 900 } });
  cleanUp(t, close);
  await page.goto(`${weir.url}/login`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'Budgets', exact: true }).first().click();
  await page.getByText('No budgets yet.').waitFor();
  await assertAccessible(page);
  const dialog = page.getByRole('dialog');
  const create = async (name: string, limit: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'New budget' }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Limit in dollars').fill(limit);
    await fill();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText(name, { exact: true }).waitFor();
  };
  await create('Everything', '0.01', () => dialog.getByLabel('Period').fill('7d'));
  await create('The bot', '0.0009', async () => {
    await dialog.getByLabel('What it limits').selectOption('key');
    await dialog.getByLabel('API key').selectOption({ label: 'bot' });
    await assertAccessible(page, '[role=dialog]');
  });
  await create('Each team', '0.0002', async () => {
    await dialog.getByLabel('What it limits').selectOption('tag');
    await dialog.getByLabel('Tag').fill('team');
    await dialog.getByText('Warn only').click();
  });
  for (const team of ['search', 'ads'])
    assert.equal((await ask(weir.url, key, { tags: `team=${team}` })).status, team === 'search' ? 200 : 402);
  await page.reload();
  await page.getByText('Key bot · $0.0009 a month').waitFor();
  await page.getByText('team: search').waitFor();
  await page.getByText(/^All calls · \$0\.01 in 7 days/).waitFor();
  const names = await page
    .getByRole('list', { name: 'Budgets' })
    .getByRole('button', { name: /^Edit/ })
    .all();
  const order = await Promise.all(names.map((button) => button.getAttribute('aria-label')));
  assert.deepEqual(order, ['Edit Each team', 'Edit The bot', 'Edit Everything']);
  await assertAccessible(page);
  const { SHOTS: pictures } = process.env;
  if (pictures) await page.screenshot({ path: `${pictures}/budgets.png` });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertReadable(page);
  if (pictures) await page.screenshot({ path: `${pictures}/budgets-phone.png` });
  await page.getByRole('button', { name: 'Edit The bot' }).click();
  await dialog.getByLabel('Limit in dollars').fill('2');
  await assertReadable(page);
  if (pictures) await page.screenshot({ path: `${pictures}/budget-dialog-phone.png` });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Key bot · $2.00 a month').waitFor();
  assert.equal((await ask(weir.url, key, {})).status, 200);
  await page.getByRole('button', { name: 'Delete The bot' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The bot', { exact: true }).waitFor({ state: 'detached' });
  assertQuiet();
});
