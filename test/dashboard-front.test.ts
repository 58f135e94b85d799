import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { startCloud } from './support/cloud.ts';

const open = sharedBrowser();

test('a gateway without mail and payments offers neither, and its pages lead to the docs and back', async (t) => {
  const adminToken = 'a token of the operator'.replaceAll(' ', '-');
  const { url } = await startCloud(t, { WEIR_SANDBOX_LIMIT: '1', WEIR_ADMIN_TOKEN: adminToken });
  const { page, assertQuiet, close } = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, close);

  await t.test('the start page has no prices, and the sandbox ends with its last free call', async () => {
    await page.goto(url);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('You have used all free calls of this session.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled());
    assert.equal(await page.getByRole('heading', { name: 'Prices' }).count(), 0);
    await assertAccessible(page);
  });

  await t.test('no link to reset a password, no plans to buy', async () => {
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByText('The operator of this gateway can reset it.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Password forgotten' }).count(), 0);
    await page.getByRole('link', { name: 'Sign up' }).first().click();
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('The receipt of your sandbox now belongs to this account').waitFor();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Billing' }).first().click();
    await page.getByText('The operator of this gateway sets your plan.').waitFor();
    assert.equal(await page.getByRole('button', { name: /Upgrade|Buy/ }).count(), 0);
    await assertAccessible(page);
  });

  await t.test('the palette has actions', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('A page, action').fill('create an api');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New key' }).waitFor();
    await page.keyboard.press('Escape');
  });

  await t.test('the documentation links back', async () => {
    await page.getByRole('link', { name: 'Documentation' }).first().click();
    await page.getByRole('link', { name: 'Dashboard', exact: true }).first().click();
    await page.getByRole('link', { name: 'What’s new' }).first().waitFor();
  });

  await t.test('after logging out no page asks for data of the account', async () => {
    const refused: string[] = [];
    page.on('response', (response) => response.status() === 401 && refused.push(response.url()));
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: /^One address/ }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(refused, []);
  });

  await t.test('the operator needs the token alone, and sees checks and accounts', async () => {
    await page.goto(`${url}/operator`);
    await page.getByLabel('Token').fill('another-token-altogether');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Wrong token; send the value of WEIR_ADMIN_TOKEN').waitFor();
    await page.getByLabel('Token').fill(adminToken);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('no outbound connection was refused').waitFor();
    await page.getByRole('heading', { name: 'Accounts' }).waitFor();
    const storage = page.getByRole('region', { name: 'Storage' });
    await storage.getByText(/^The database has .* a day, before old entries are deleted\.$/).waitFor();
    const log = storage.getByRole('row', { name: /^Request log/ });
    assert.match(await log.innerText(), /\sKB\s.*30 days, at most 1,000,000 calls/s);
    await page.getByText(/\d+ allowed servers without a connection/).click();
    await page.getByText('api.anthropic.com:443').waitFor();
    await page.getByText('Address', { exact: true }).click();
    await page.getByText('ada@example.com').waitFor();
    assert.equal(await page.evaluate('document.cookie'), '');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
  });
  assertQuiet();
});
