import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { DnsServer } from './support/dns-server.ts';
import { createOrganization } from './support/organizations.ts';
import { ScriptedIssuer } from './support/scripted-issuer.ts';

const open = sharedBrowser();

test('an owner sets single sign-on up, and a colleague comes in with it', async (t) => {
  const [issuer, dns] = [await ScriptedIssuer.start(t), await DnsServer.start(t)];
  const { url } = await startCloud(t, {
    WEIR_EGRESS_ALLOW: issuer.allowance,
    WEIR_DNS_SERVERS: dns.address,
  });
  const ada = await Person.signUp(url, 'ada@example.com');
  const acme = await createOrganization(ada);
  issuer.answerSignOns({ sub: 'bob', email: 'bob@acme.example', email_verified: true });
  const { page, assertQuiet, close } = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, close);

  await t.test('domains have the record to set, and are proven', async () => {
    await page.goto(`${url}/login`);
    await page.getByLabel('E-mail', { exact: true }).fill(ada.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    const switched = page.waitForResponse(`${url}/v1/organizations/*/session`);
    await page.getByLabel('Organization', { exact: true }).selectOption({ label: 'Acme' });
    await switched;
    await page.goto(`${url}/organization`);
    await page.getByRole('button', { name: 'Add a domain' }).click();
    await page.getByLabel('Domain', { exact: true }).fill('acme.example');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('_weir.acme.example', { exact: true }).waitFor();
    const { json } = await call(url, {
      path: '/v1/organization/sign-on/domains',
      headers: bearer(acme.token),
    });
    const [{ record }] = json.domains as [{ readonly record: { readonly value: string } }];
    await page.getByText(record.value).waitFor();
    await assertAccessible(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/domain.png`, fullPage: true });
    dns.records.set('_weir.acme.example', [record.value]);
    await page.getByRole('button', { name: 'Prove acme.example' }).click();
    await page.getByText('proven', { exact: true }).waitFor();
  });

  await t.test('the provider is set up and tested', async () => {
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByLabel('Issuer', { exact: true }).fill(issuer.url);
    await page.getByLabel('Client id').fill(issuer.clientId);
    await page.getByLabel('Client secret').fill('secret');
    await page.getByLabel('Role of new members').selectOption('developer');
    await assertAccessible(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/set-up.png` });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('the provider accepts client id and secret').waitFor();
    assert.equal(await page.getByText('Fails:').count(), 0);
    await assertAccessible(page);
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/sign-on.png`, fullPage: true });
    await assertQuiet();
  });

  await t.test('a token for SCIM is shown once, used and revoked', async () => {
    await page.getByRole('button', { name: 'Create a SCIM token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Okta');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const token = (await page.getByText(/^gw_scim_/).textContent()) ?? '';
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Done' }).click();
    const users = { path: `/scim/v2/${acme.organizationId}/Users`, headers: bearer(token) };
    const made = await call(url, { ...users, body: { userName: 'eve@acme.example' } });
    assert.equal(made.status, 201, made.text);
    await page.reload();
    await page.getByText('manages 1 users, 1 of them active, and 0 groups').waitFor();
    await page.getByText(`${url}/scim/v2/${acme.organizationId}`, { exact: true }).waitFor();
    await assertAccessible(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/scim.png`, fullPage: true });
    await page.getByRole('button', { name: 'Revoke Okta' }).click();
    await page.getByRole('button', { name: 'Revoke Okta' }).waitFor({ state: 'detached' });
    assert.equal((await call(url, users)).status, 401);
    await assertQuiet();
  });

  await t.test('a colleague signs in by mail address, and with a link of the organization', async () => {
    const other = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    cleanUp(t, other.close);
    await other.page.goto(`${url}/login#failure=no_role`);
    await other.page.getByText('Your groups give you no role').waitFor();
    await other.page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
    await other.page.getByLabel('E-mail at your organization').fill('bob@acme.example');
    await assertAccessible(other.page);
    await assertReadable(other.page);
    if (process.env.SHOTS) await other.page.screenshot({ path: `${process.env.SHOTS}/log-in-phone.png` });
    await other.page.getByRole('button', { name: 'Continue' }).click();
    await other.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await other.page.goto(`${url}/organization`);
    await other.page.getByText('Acme: your role is developer').waitFor();
    assert.equal(await other.page.getByRole('heading', { name: 'Single sign-on' }).count(), 0);
    await other.assertQuiet();
    const third = await open({ viewport: { width: 1280, height: 900 } });
    cleanUp(t, third.close);
    await third.page.goto(`${url}/login#organization=${acme.organizationId}`);
    await third.page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
    await third.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await third.assertQuiet();
  });
});
