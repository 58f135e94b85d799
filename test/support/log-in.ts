import type { Page } from 'playwright-core';
import { password } from './cloud.ts';
import type { MemberSession } from './organizations.ts';

/** Logs a person in, switches to the organization, and waits for the page at the path. */
export async function logIn(
  page: Page,
  { person, organizationId }: Pick<MemberSession, 'person' | 'organizationId'>,
  path = '/',
): Promise<void> {
  await page.goto(`${person.url}/login`);
  await page.getByLabel('E-mail', { exact: true }).fill(person.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  // As the switcher does, which a phone has in a menu: the cookie of the browser is replaced.
  await page.evaluate(
    `fetch('/v1/organizations/${organizationId}/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-weir-session': 'cookie' },
      body: '{}',
    }).then(({ ok, status }) => { if (!ok) throw new Error('the switch answered ' + status); })`,
  );
  await page.goto(person.url + path);
}
