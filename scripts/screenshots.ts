// Takes the pictures of the dashboard in the documentation again, of made-up calls: npm run docs:pictures
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { openSqlite } from '../src/storage/sql/sqlite.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { madeUpCalls, usageOf } from './screenshots/made-up-calls.ts';

const docs = join(import.meta.dirname, '..', 'docs');

interface Picture {
  readonly file: string;
  readonly path: string;
  readonly scheme?: 'dark';
  /** Waits until all of it is there. */
  ready(page: Page): Promise<unknown>;
}

const pictures: readonly Picture[] = [
  {
    file: 'dashboard.png',
    path: '/?range=7d',
    ready: (page) => page.getByRole('heading', { name: 'By model', exact: true }).waitFor(),
  },
  {
    file: 'dashboard-request.png',
    path: '/requests?status=200',
    async ready(page) {
      await page.getByText('claude-sonnet-5').nth(2).click();
      await page.getByText('Timing').waitFor();
    },
  },
  {
    file: 'dashboard-session.png',
    path: '/sessions',
    scheme: 'dark',
    async ready(page) {
      await page.getByRole('link', { name: 'session-362' }).click();
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    },
  },
];

const dataDir = mkdtempSync(join(tmpdir(), 'weir-pictures-'));
const database = await openSqlite({ file: join(dataDir, 'weir.db') });
const calls = madeUpCalls(Date.now());
for (let at = 0; at < calls.length; at += 500) {
  const some = calls.slice(at, at + 500);
  await database.requests.addPacked([database.requests.pack(some)]);
  await database.usage.add({ id: randomUUID(), atMs: Date.now(), days: some.map(usageOf), counted: [] });
}
await database.close();

const weir = await startTestGateway({
  WEIR_DATA_DIR: dataDir,
  WEIR_PIPELINE: 'exact-cache,cost-guard?day=25&month=300',
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  for (const { file, path, scheme = 'light', ready } of pictures) {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: scheme,
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await page.goto(weir.url + path);
    await ready(page);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(docs, file) });
    console.log(`docs/${file}`);
    await context.close();
  }
} finally {
  await browser.close();
  await weir.close();
  rmSync(dataDir, { recursive: true, force: true });
}
