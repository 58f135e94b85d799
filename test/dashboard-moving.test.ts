import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { fillAccount } from './support/moving.ts';
import { emptyFolder } from './support/weir-process.ts';

const open = sharedBrowser();

test('an account moves from a local gateway to the cloud in the dashboard', async (t) => {
  const folder = emptyFolder(t);
  const environment = { WEIR_DATA_DIR: folder };
  const weir = await startTestGateway(environment);
  cleanUp(t, () => weir.close());
  await fillAccount(environment, { accountId: 'local', scope: 'local' });
  await call(weir.url, { path: '/v1/prompts', body: { name: 'greeting', system: 'Greet {{name}}.' } });
  await call(weir.url, { method: 'PUT', path: '/v1/byok/openai', body: { key: 'sk-test-1234567890abcdef' } });
  const from = await open({ viewport: { width: 1440, height: 900 } });
  cleanUp(t, from.close);
  const file = join(folder, 'account.weir');

  await t.test('exports what is chosen, and provider keys with a passphrase only', async () => {
    const { page } = from;
    await page.goto(`${weir.url}/moving`);
    await page.getByText('They arrive revoked').waitFor();
    const plainDownload = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const plain = await plainDownload;
    assert.equal(plain.suggestedFilename(), 'account.weir');
    await plain.saveAs(file);
    const [manifest = ''] = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
    const { sections } = JSON.parse(manifest);
    assert.deepEqual([sections.includes('log'), sections.includes('recordings')], [true, false]);
    await page.getByRole('checkbox', { name: 'Receipts' }).uncheck();
    await page.getByRole('checkbox', { name: 'Provider keys' }).check();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.locator('input[type=password]:invalid').waitFor();
    await page.locator('input[type=password]').first().fill('a passphrase of some length');
    const secretDownload = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await (await secretDownload).saveAs(file);
    const text = gunzipSync(readFileSync(file)).toString('utf8');
    assert.match(text, /"section":"provider_keys"/);
    assert.doesNotMatch(text, /"section":"receipts"|sk-test-1234567890abcdef/);
    await assertAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertReadable(page);
    from.assertQuiet();
  });

  await t.test('says what an import would do, does it, and says why a file is refused', async () => {
    const cloud = await startCloud(t, { WEIR_DATA_DIR: emptyFolder(t) });
    const person = await Person.signUp(cloud.url);
    const to = await open({ viewport: { width: 1280, height: 900 } });
    cleanUp(t, to.close);
    const { page } = to;
    await page.goto(`${cloud.url}/moving`);
    await page.getByRole('link', { name: 'Log in' }).first().click();
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Move', exact: true }).first().click();
    await page.getByLabel('File').setInputFiles({
      ...{ name: 'cut.weir', mimeType: 'application/octet-stream' },
      buffer: gunzipSync(readFileSync(file)).subarray(0, 2000),
    });
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('The file is refused: it is truncated.').waitFor();

    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('Nothing has been changed.').waitFor();
    await page.getByText('provider keys need the passphrase of the export').waitFor();
    await page.locator('input[type=password]').last().fill('a passphrase of some length');
    assert.equal(
      await page.getByText('Nothing has been changed.').count(),
      0,
      'the report is of another choice',
    );
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('row', { name: 'Prompts 1 1 0' }).waitFor();
    await page.getByRole('row', { name: 'Provider keys 1 1 0' }).waitFor();
    assert.equal((await person.call({ path: '/v1/prompts' })).text, '{"prompts":[]}');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported.').waitFor();
    await assertAccessible(page);
    assert.match((await person.call({ path: '/v1/prompts' })).text, /"greeting"/);
    assert.match((await person.call({ path: '/v1/byok' })).text, /openai/);
    // The last calls of the log may still be on their way.
    await eventually(async () => {
      const { text } = await person.call({ path: '/v1/requests?limit=1' });
      return text.includes('"id":"req_') || undefined;
    });
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('row', { name: 'Prompts 1 0 1' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await assertReadable(page);
    to.assertQuiet();
  });
});
