import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '../src/kernel/ports/identities.ts';
import { assertAccessible, goWithin, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, startCloud } from './support/cloud.ts';
import { logIn } from './support/log-in.ts';
import { addMember, createOrganization } from './support/organizations.ts';
import { makeProject } from './support/projects.ts';

const open = sharedBrowser();
const pictures = process.env.TEST_PICTURES;

/** Buttons of the pipeline editor, whose text goes nowhere by itself. */
const editing = new Set(['Remove cost-guard']);

/** Pages where everybody changes what is theirs. */
const own = new Set(['/account', '/playground']);

/** Buttons that change something, by role; pages have no others that begin like that. */
const changing =
  /^(New (?!organization)|Create|Delete|Edit|Revoke|Rename|Archive|Restore|Invite|Add (?!an image)|Remove|Import|Place|Clear)/;

test('each role has the places that it can use: none of them is refused, and none offers what the role can’t do', async (t) => {
  const { url } = await startCloud(t);
  const acme = await createOrganization(await Person.signUp(url, 'ada@example.com'));
  const project = await makeProject(acme, 'Search');
  await acme.call({ path: '/v1/keys', body: { name: 'bot' } });
  await acme.call({
    ...{ method: 'PUT', path: '/v1/guardrails/rules/codenames' },
    body: { find: ['Condor'], action: 'block' },
  });
  const vera = await addMember(acme, 'viewer', await Person.signUp(url, 'vera@example.com'));
  const { page, assertQuiet, close } = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, close);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${new URL(page.url()).pathname}: ${response.url()}`);
  });
  await logIn(page, vera, '/account');

  const hrefsIn = (name: string) =>
    page
      .getByRole('navigation', { name })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  const enter = async (role: Role) => {
    const path = `/v1/organization/members/${vera.person.id}`;
    const changed = await acme.call({ method: 'PATCH', path, body: { role } });
    assert.ok(changed.status < 300, changed.text);
    await page.goto(`${url}/account`);
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    return [...(await hrefsIn('Places')), ...(await hrefsIn('Settings'))];
  };
  const visit = async (path: string) => {
    // The heading of the page before stays until the next one is there.
    if (new URL(page.url()).pathname !== path)
      await page.locator('main h1').evaluate((heading) => heading.setAttribute('data-left', ''));
    await goWithin(page, path);
    await page.locator('main h1:not([data-left])').filter({ hasNotText: 'Loading' }).waitFor();
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
  };

  const unusable: Readonly<Partial<Record<Role, readonly string[]>>> = {
    viewer: ['/recordings', '/archive', '/billing', '/audit', '/moving'],
    billing: ['/', '/requests', '/keys', '/provider-keys', '/mcp-servers', '/audit'],
    member: ['/', '/models', '/requests', '/usage', '/budgets', '/keys', '/modules', '/billing'],
  };
  for (const role of ['viewer', 'billing', 'member'] as const)
    await t.test(`a ${role}`, async () => {
      const places = await enter(role);
      for (const path of unusable[role] ?? []) assert.ok(!places.includes(path), `${role}: ${path}`);
      for (const path of ['/organization', '/projects', '/retention']) assert.ok(places.includes(path), path);
      refused.length = 0;
      const offered: string[] = [];
      for (const path of places) {
        await visit(path);
        const names = await page
          .getByRole('main')
          .getByRole('button')
          .evaluateAll((buttons) =>
            buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent ?? ''),
          );
        const isOwn = own.has(path) || (role === 'billing' && path === '/billing');
        if (!isOwn)
          offered.push(
            ...names
              .filter((name) => changing.test(name) && !editing.has(name))
              .map((name) => `${path}: ${name}`),
          );
      }
      assert.deepEqual({ refused, offered }, { refused: [], offered: [] });
      if (pictures) await page.screenshot({ path: `${pictures}/role-${role}.png` });
    });

  await t.test(
    'an address that the role can’t use says so, members can leave, and a project of theirs opens',
    async () => {
      await visit('/organization');
      await page.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('button', { name: 'Stay' }).click();
      await visit('/audit');
      await page.getByText('Your role member can’t open this page.').waitFor();
      await assertAccessible(page);
      await visit('/');
      await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
      const path = `/v1/organization/projects/${project}/members/${vera.person.id}`;
      const joined = await acme.call({ method: 'PUT', path, body: { role: 'viewer' } });
      assert.ok(joined.status < 300, joined.text);
      await page.reload();
      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.getByRole('button', { name: 'Remove the filter Project: Search' }).waitFor();
      await page.getByText('No call matches these filters.').waitFor();
      assertQuiet();
    },
  );
});
