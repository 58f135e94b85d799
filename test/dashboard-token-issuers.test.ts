import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requiredClaimsIn, requiredClaimsText } from '../web/pages/organization/issuer-fields.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, startCloud } from './support/cloud.ts';
import { logIn } from './support/log-in.ts';
import { addMember, createOrganization } from './support/organizations.ts';

const open = sharedBrowser();
const pictures = process.env.TEST_PICTURES;
const address = 'https://login.example.com';

test('an owner adds, changes and removes an issuer of tokens; an admin reads it', async (t) => {
  const { url } = await startCloud(t);
  const acme = await createOrganization(await Person.signUp(url, 'ada@example.com'));
  const admin = await addMember(acme, 'admin', await Person.signUp(url, 'adam@example.com'));
  const keyIds = new Map<string, string>();
  for (const name of ['template', 'search-bot'])
    keyIds.set(name, String((await acme.call({ path: '/v1/keys', body: { name } })).json.id));
  const stored = async () => {
    const { json } = await acme.call({ path: '/v1/organization/token-issuers' });
    return (json.token_issuers as readonly Readonly<Record<string, unknown>>[])[0];
  };
  const opened = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, opened.close);
  const { page } = opened;
  const dialog = page.getByRole('dialog');

  await t.test('with the audience that the gateway suggests', async () => {
    await logIn(page, acme, '/organization');
    await page.getByRole('button', { name: 'Add an issuer' }).click();
    await dialog.getByLabel('Issuer', { exact: true }).fill(address);
    await dialog.getByLabel('API key').selectOption({ label: 'template' });
    await dialog.getByLabel('Required claims').fill('groups = ai, search\norg=acme');
    await assertAccessible(page, '[role=dialog]');
    if (pictures) await page.screenshot({ path: `${pictures}/issuer-add.png` });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('needs ai or search', { exact: true }).waitFor();
    await page.getByText('call as key template', { exact: true }).waitFor();
    await assertAccessible(page);
    if (pictures)
      await page
        .getByRole('region', { name: 'Tokens of issuers' })
        .screenshot({ path: `${pictures}/issuers.png` });
    const one = await stored();
    assert.equal(one?.audience, `${url}/organizations/${acme.organizationId}`);
    assert.deepEqual(one?.required_claims, [
      { claim: 'groups', values: ['ai', 'search'] },
      { claim: 'org', values: ['acme'] },
    ]);
    assert.deepEqual(one?.algorithms, ['RS256', 'ES256']);
  });

  await t.test('a claim names the project, each value with a key of its own', async () => {
    await page.getByRole('button', { name: `Edit ${address}` }).click();
    await dialog.getByLabel('Claim with the project').fill('team');
    await dialog.getByRole('button', { name: 'Save', disabled: true }).waitFor();
    await dialog.getByRole('button', { name: 'Add a value' }).click();
    await dialog.getByLabel('Value 1', { exact: true }).fill('search');
    await dialog.getByLabel('Key of value 1').selectOption({ label: 'search-bot' });
    await dialog.getByRole('checkbox', { name: 'EdDSA' }).check();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertReadable(page);
    if (pictures) {
      await dialog.getByRole('checkbox', { name: 'EdDSA' }).scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${pictures}/issuer-phone.png` });
    }
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('team = search', { exact: true }).waitFor();
    await page.getByText('calls as key search-bot', { exact: true }).waitFor();
    await page.getByText('other tokens', { exact: true }).waitFor();
    if (pictures)
      await page
        .getByRole('region', { name: 'Tokens of issuers' })
        .screenshot({ path: `${pictures}/issuers-phone.png` });
    const one = await stored();
    assert.deepEqual(
      [one?.key_id, one?.project_claim, one?.project_keys, one?.algorithms],
      [
        ...[keyIds.get('template'), 'team'],
        ...[[{ value: 'search', key_id: keyIds.get('search-bot') }], ['RS256', 'ES256', 'EdDSA']],
      ],
    );
  });

  await t.test('an admin sees it, and no button', async () => {
    const other = await open({ viewport: { width: 1280, height: 900 } });
    cleanUp(t, other.close);
    await logIn(other.page, admin, '/organization');
    await other.page.getByText('calls as key search-bot', { exact: true }).waitFor();
    for (const name of ['Add an issuer', `Edit ${address}`, `Remove ${address}`])
      assert.equal(await other.page.getByRole('button', { name }).count(), 0, name);
    other.assertQuiet();
  });

  await t.test('a fault is shown in the dialog, and a removed issuer is gone', async () => {
    await page.getByRole('button', { name: `Edit ${address}` }).click();
    await dialog.getByLabel('Audience').fill('https://weir.example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must contain the id of the organization').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: `Remove ${address}` }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: `Edit ${address}` }).waitFor({ state: 'detached' });
    assert.equal(await stored(), undefined);
    opened.assertQuiet();
  });
});

test('required claims are lines, which may have addresses and equals signs', () => {
  const claims = [
    { claim: 'https://acme.example/groups', values: ['a=b', 'c'] },
    { claim: 'hd', values: ['acme.example'] },
  ];
  assert.deepEqual(requiredClaimsIn(requiredClaimsText(claims)), claims);
  assert.deepEqual(requiredClaimsIn(' \n\nhd\n'), [{ claim: 'hd', values: [] }]);
});
