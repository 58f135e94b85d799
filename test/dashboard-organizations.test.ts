import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';

const open = sharedBrowser();

test('people create an organization, invite, join, switch, get other roles, leave and delete', async (t) => {
  const { url } = await startCloud(t);
  const ada = await Person.signUp(url, 'ada@example.com');
  const { page, assertQuiet, close } = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, close);
  const go = async (name: string) => {
    await page.goto(url);
    await page.getByRole('link', { name, exact: true }).first().click();
  };
  let link = '';

  await t.test('an organization is created in a dialog, which switches to it', async () => {
    await page.goto(`${url}/login`);
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Organization', exact: true }).first().click();
    await page.getByRole('button', { name: 'New organization' }).click();
    await page.getByLabel('Name').fill('Acme');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Acme: your role is owner').waitFor();
    assert.equal(await page.getByLabel('Organization', { exact: true }).inputValue(), await idOf('Acme'));
    await assertAccessible(page);
  });

  await t.test('a project is created, renamed, archived and restored, and gets a key', async () => {
    await page.goto(`${url}/projects`);
    await page.getByText('No projects.').waitFor();
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Search');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Rename Search' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Find');
    await page.getByRole('button', { name: 'Rename', exact: true }).last().click();
    await page.getByRole('button', { name: 'Archive Find' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).last().click();
    await page.getByRole('button', { name: 'Restore Find' }).click();
    await page.getByRole('button', { name: 'Archive Find' }).waitFor();
    await assertAccessible(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/projects.png` });
    await page.goto(`${url}/keys?open=new`);
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Find' });
    await assertAccessible(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/projects-key.png` });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.goto(`${url}/projects`);
    await page.getByRole('link', { name: 'Find', exact: true }).click();
    await page.getByText('Project:').waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/projects-log.png` });
    await page.goto(`${url}/organization`);
  });

  await t.test('an invitation has a link, which is shown once', async () => {
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('bob@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Invite' }).last().click();
    link = String(await page.getByText(`${url}/join#invitation=`).textContent());
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('bob@example.com').waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/organization.png` });
  });

  await t.test('who is invited signs up on the way, and joins', async () => {
    const other = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    cleanUp(t, other.close);
    await other.page.goto(link.trim());
    await other.page.getByRole('heading', { name: 'Join Acme' }).waitFor();
    await assertAccessible(other.page);
    await other.page.getByRole('link', { name: 'Sign up' }).click();
    await other.page.getByLabel('E-mail').fill('bob@example.com');
    await other.page.getByLabel('Password').fill(password);
    await other.page.getByRole('button', { name: 'Sign up' }).click();
    await other.page.getByRole('button', { name: 'Join as bob@example.com' }).click();
    await other.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await other.page.goto(`${url}/organization`);
    await other.page.getByText('Acme: your role is viewer').waitFor();
    assert.equal(await other.page.getByRole('button', { name: 'Invite' }).count(), 0);
    await assertReadable(other.page);
    if (process.env.SHOTS)
      await other.page.screenshot({ path: `${process.env.SHOTS}/organization-phone.png` });
    await other.assertQuiet();
  });

  await t.test('a role is changed, and a member removed', async () => {
    await go('Settings');
    await page.getByRole('link', { name: 'Organization', exact: true }).click();
    await page.getByLabel('Role of bob@example.com').selectOption('admin');
    await eventually(async () => ((await rolesOf()).get('bob@example.com') === 'admin' ? true : undefined));
    await page.getByRole('button', { name: 'Remove bob@example.com' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await eventually(async () => ((await rolesOf()).has('bob@example.com') ? undefined : true));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('bob@example.com').count(), 0);
  });

  await t.test('the audit log has who changed what, with the values before and after', async () => {
    await page.goto(`${url}/audit`);
    await page.getByRole('button', { name: 'Member removed' }).waitFor();
    await page.getByLabel('Subject').selectOption('Organization and members');
    await page.getByRole('button', { name: 'Member role changed' }).click();
    const entry = page.getByRole('dialog');
    await entry.getByText(`ada@example.com (user:${ada.id})`).waitFor();
    for (const text of ['viewer', 'admin', '127.0.0.1'])
      await entry.getByText(text, { exact: true }).first().waitFor();
    await assertAccessible(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/audit.png` });
    await page.keyboard.press('Escape');
    await entry.waitFor({ state: 'detached' });
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/audit-list.png` });
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Organization', exact: true }).first().click();
  });

  await t.test('a deletion is taken back, and the switcher leads home', async () => {
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: 'Delete in seven days' }).click();
    await page.getByText('This organization is deleted on').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('This organization is deleted on').waitFor({ state: 'detached' });
    await page.getByLabel('Organization', { exact: true }).selectOption({ label: 'ada@example.com' });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Organization', exact: true }).first().click();
    await page.getByText('ada@example.com: your role is owner').waitFor();
    await assertQuiet();
  });

  async function idOf(name: string): Promise<string> {
    const { json } = await ada.call({ method: 'GET', path: '/v1/organizations' });
    const all = json.organizations as readonly { readonly id: string; readonly name: string }[];
    return String(all.find((one) => one.name === name)?.id);
  }

  async function rolesOf(): Promise<ReadonlyMap<string, string>> {
    const session = await ada.call({ path: `/v1/organizations/${await idOf('Acme')}/session`, body: {} });
    const { json } = await call(url, {
      method: 'GET',
      path: '/v1/organization/members',
      headers: ['authorization', `Bearer ${session.json.token}`],
    });
    const all = json.members as readonly { readonly email: string; readonly role: string }[];
    return new Map(all.map(({ email, role }) => [email, role]));
  }
});
