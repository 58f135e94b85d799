import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../scripts/test-servers/server-process.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, password, startCloud } from './support/cloud.ts';

const open = sharedBrowser();

test('a person adds a passkey, logs in with it, and makes it the second factor', async (t) => {
  const port = String(await freePort());
  // Browsers have passkeys on https and on localhost alone.
  const url = `http://localhost:${port}`;
  await startCloud(t, { PORT: port, WEIR_BASE_URL: url });
  const ada = await Person.signUp(url, 'ada@example.com');
  const { page, assertQuiet, close } = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, close);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const picture = async (name: string) => {
    const { WEIR_PICTURES: folder } = process.env;
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
  };
  const typePassword = async () => {
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
  };
  const logOut = async () => {
    await page.goto(`${url}/account`);
    await page.getByRole('main').getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Log in' }).first().waitFor();
    await page.goto(`${url}/login`);
  };
  const confirm = async (action: string) => {
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: action, exact: true }).click();
  };
  const isIn = () => page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`${url}/login`);
  await typePassword();
  await isIn();
  await page.goto(`${url}/account`);
  const section = page.getByRole('region', { name: 'Passkeys' });
  await section.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name').fill('Laptop');
  await assertAccessible(page, '[role=dialog]');
  await confirm('Continue');
  await section.getByText('Laptop').waitFor();
  await section.getByText('never used').waitFor();

  await logOut();
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await isIn();

  await page.goto(`${url}/account`);
  await section.getByRole('button', { name: 'Require a second factor' }).click();
  await confirm('Require it');
  const codes = await page.getByRole('region', { name: 'Recovery codes' }).locator('pre').innerText();
  await picture('recovery-codes');
  await assertAccessible(page, '[role=dialog]');
  await page.keyboard.press('Escape');
  await section.getByText('10 recovery codes left').waitFor();
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await assertReadable(page);
    await picture(`account-${width}`);
  }

  await logOut();
  await typePassword();
  await page.getByRole('button', { name: 'Use your passkey' }).waitFor();
  await assertAccessible(page);
  await picture('second-factor');
  await page.getByLabel('Recovery code').fill('wrong');
  await page.getByRole('button', { name: 'Use the code' }).click();
  await page.getByText('This recovery code is wrong or was used').waitFor();
  await page.getByLabel('Recovery code').fill(codes.split('\n')[0] ?? '');
  await page.getByRole('button', { name: 'Use the code' }).click();
  await isIn();

  await logOut();
  await typePassword();
  await page.getByRole('button', { name: 'Use your passkey' }).click();
  await isIn();
  await page.goto(`${url}/account`);
  await section.getByText('9 recovery codes left').waitFor();
  await section.getByRole('button', { name: 'Switch off' }).click();
  await confirm('Switch off');
  await section.getByRole('button', { name: 'Remove Laptop' }).click();
  await section.getByText('A passkey replaces the password').waitFor();
  assertQuiet();
});
