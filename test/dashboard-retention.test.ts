import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, startCloud } from './support/cloud.ts';
import { logIn } from './support/log-in.ts';
import { addMember, createOrganization } from './support/organizations.ts';

const open = sharedBrowser();
const pictures = process.env.TEST_PICTURES;

test('an owner shortens a retention, places and releases a hold, and downloads evidence', async (t) => {
  const { url } = await startCloud(t);
  const acme = await createOrganization(await Person.signUp(url, 'ada@example.com'));
  const viewer = await addMember(acme, 'viewer', await Person.signUp(url, 'vera@example.com'));
  const opened = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, opened.close);
  const { page } = opened;
  const dialog = page.getByRole('dialog');

  await t.test('a shorter time is confirmed before anything is deleted', async () => {
    await logIn(page, acme, '/retention');
    await page.getByText('None. A hold stops').waitFor();
    await assertAccessible(page);
    if (pictures) await page.screenshot({ path: `${pictures}/retention.png`, fullPage: true });
    await page.getByLabel('Archived parts of conversations').fill('7');
    await page.getByLabel('Learned patterns').fill('400');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Archived parts of conversations: 7 days.').waitFor();
    await dialog.getByText('Learned patterns, since they were confirmed last: 400 days.').waitFor();
    await assertAccessible(page, '[role=dialog]');
    if (pictures) await page.screenshot({ path: `${pictures}/retention-shorter.png` });
    await dialog.getByRole('button', { name: 'Delete older data' }).click();
    await page.getByText('Saved. Older data is deleted within an hour.').waitFor();
    assert.deepEqual(await daysOf(), { archive: 7, patterns: 400 });
    await page.getByLabel('Archived parts of conversations').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    // It is hidden while something that was typed is not stored.
    await page.getByText('Saved. Older data is deleted within an hour.').waitFor();
    assert.deepEqual(await daysOf(), { patterns: 400 });
  });

  await t.test('a hold has a reason, which everybody in the organization can read', async () => {
    await page.getByRole('button', { name: 'Place a legal hold' }).click();
    await dialog.getByLabel('Reason').fill('<b>The case of 2026</b>');
    await assertAccessible(page, '[role=dialog]');
    await dialog.getByRole('button', { name: 'Place' }).click();
    await page.getByText('<b>The case of 2026</b>', { exact: true }).waitFor();
    await page.getByText('of the owners', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change the reason' }).click();
    await dialog.getByLabel('Reason').fill('The case of 2027');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The case of 2027', { exact: true }).waitFor();
    await assertAccessible(page);
    if (pictures) await page.screenshot({ path: `${pictures}/retention-hold.png`, fullPage: true });

    const other = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    cleanUp(t, other.close);
    await logIn(other.page, viewer, '/retention');
    await other.page.getByText('The case of 2027', { exact: true }).waitFor();
    for (const name of ['Change the reason', 'Release', 'Save'])
      assert.equal(await other.page.getByRole('button', { name }).count(), 0, name);
    assert.equal(await other.page.getByRole('link', { name: 'Download the evidence bundle' }).count(), 0);
    await assertReadable(other.page);
    if (pictures) await other.page.screenshot({ path: `${pictures}/retention-viewer.png` });
    other.assertQuiet();
  });

  await t.test('the evidence bundle has the hold', async () => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the evidence bundle' }).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'weir-evidence.jsonl');
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
    const holds = Buffer.concat(chunks)
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('{"section":"legal_holds"'));
    assert.equal(holds.length, 1);
    assert.match(String(holds[0]), /The case of 2027/);
    await page.getByText(`curl -o jwks.json ${url}/.well-known/jwks.json`).waitFor();
  });

  await t.test('a released hold is gone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertReadable(page);
    if (pictures) await page.screenshot({ path: `${pictures}/retention-phone.png`, fullPage: true });
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await dialog.getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByText('None. A hold stops').waitFor();
    opened.assertQuiet();
  });

  async function daysOf(): Promise<object> {
    const { json } = await acme.call({ path: '/v1/organization/retention' });
    const kinds = json.kinds as readonly { readonly kind: string; readonly own_days: number | null }[];
    return Object.fromEntries(
      kinds.flatMap(({ kind, own_days: days }) => (days === null ? [] : [[kind, days]])),
    );
  }
});
