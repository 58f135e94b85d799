import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { after, test } from 'node:test';
import { Slugs } from '../site/markdown.js';
import { linkTarget } from '../site/pages.js';
import { openDocs } from '../src/server/api/docs.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertAccessible, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { documents, root, textOf } from './support/documents.ts';
import { emptyFolder } from './support/weir-process.ts';

const site = join(root, 'site', 'dist');
const open = sharedBrowser();
const gateway = await startTestGateway();
after(() => gateway.close());

test('every link in the documentation leads to a file that is there, and to a heading in it', () => {
  const dead = documents.flatMap((file) =>
    linksIn(textOf(file))
      .filter((href) => isDead(file, href))
      .map((href) => `${file}: ${href}`),
  );
  assert.ok(documents.length > 60);
  assert.deepEqual(dead, []);
});

function isDead(file: string, href: string): boolean {
  const target = linkTarget(file, href);
  if (target === undefined) return false;
  if (!existsSync(join(root, target.file))) return true;
  return target.anchor !== undefined && !anchorsOf(target.file).includes(target.anchor);
}

test('the documentation is a site whose links work, with nothing inside of a page that its policy forbids', () => {
  const pages = new Map(
    globSync('**/*.html', { cwd: site }).map((name) => [name, readFileSync(join(site, name), 'utf8')]),
  );
  assert.ok(pages.size > 60);
  for (const [name, html] of pages) {
    assert.doesNotMatch(html, /<style|<script(?![^>]*src=)|\sstyle=|\son\w+=|src="https?:/, name);
    for (const [, to = ''] of html.matchAll(/(?:href|src)="(?!https?:|mailto:)([^"]+)"/g)) {
      const [path = '', anchor] = to.split('#');
      const file = path.startsWith('/docs/') ? path.slice(6) : posix.join(posix.dirname(name), path);
      const target = path === '' ? name : file;
      assert.ok(existsSync(join(site, target)), `${name}: ${to}`);
      if (anchor !== undefined) assert.ok(pages.get(target)?.includes(` id="${anchor}"`), `${name}: ${to}`);
    }
  }
});

test('a person finds a page of the documentation at the gateway by searching, with keys alone', async (t) => {
  const { page, assertQuiet, close } = await open({ viewport: { width: 390, height: 800 } });
  cleanUp(t, close);
  await page.goto(`${gateway.url}/docs`);
  assert.equal(page.url(), `${gateway.url}/docs/`);
  await assertAccessible(page);
  await page.keyboard.press('/');
  await page.keyboard.type('several proces');
  const first = page.getByRole('option', { name: /Operating Weir › Several processes/ }).first();
  await first.waitFor();
  await assertAccessible(page);
  const id = await first.getAttribute('id');
  const selectedId = () => page.locator(':focus').getAttribute('aria-activedescendant');
  while ((await selectedId()) !== id) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Several processes' }).waitFor();
  assert.match(page.url(), /\/docs\/guides\/operating\.html#several-processes$/);
  await assertAccessible(page);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await assertAccessible(page);
  assertQuiet();
});

test('an example shows one language at a time, and a former address leads to the page that replaced it', async (t) => {
  const { page, assertQuiet, close } = await open();
  cleanUp(t, close);
  await page.goto(`${gateway.url}/docs/ceilings`);
  await page.getByRole('heading', { name: 'Budgets', level: 1 }).waitFor();
  assert.equal(page.url(), `${gateway.url}/docs/guides/budgets.html`);
  const example = page.getByRole('group', { name: 'Example' }).first();
  const [curl, python] = [example.getByText('curl http'), example.getByText('requests.post')];
  await python.waitFor({ state: 'hidden' });
  assert.equal(await curl.isVisible(), true);
  await example.getByRole('radio', { name: 'Python' }).check();
  assert.deepEqual([await curl.isVisible(), await python.isVisible()], [false, true]);
  await assertAccessible(page);
  assertQuiet();
});

test('programs get the pages too, one that is not there is 404, and a site that is not built says so', async (t) => {
  const { status, headers } = await fetch(`${gateway.url}/docs/reference/settings`);
  assert.equal(status, 200);
  assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/);
  const modules = await fetch(`${gateway.url}/docs/reference/modules`, { redirect: 'manual' });
  assert.equal(modules.headers.get('location'), '/docs/reference/modules/');
  for (const path of [
    '/docs/nothing',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/assets/no.js',
  ])
    assert.equal((await fetch(gateway.url + path)).status, 404, path);
  assert.equal((await fetch(`${gateway.url}/docs/`, { method: 'POST' })).status, 404);
  const unbuilt = await openDocs(emptyFolder(t)).page('/docs', []);
  assert.match(Buffer.from(unbuilt.bytes).toString(), /not built here.*npm run docs/);
});

/** Outside of code. */
function linksIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, href = '']) => href);
}

function anchorsOf(file: string): readonly string[] {
  const slugs = new Slugs();
  const prose = textOf(file).replaceAll(/^```.*?^```/gms, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    slugs.of(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  );
}
