import assert from 'node:assert/strict';
import { after } from 'node:test';
import axe from 'axe-core';
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
} from 'playwright-core';

/** A page whose errors count: in the console, in scripts, and against the policy of the page. */
export interface WatchedPage {
  readonly page: Page;
  /** Fails where anything went wrong since the page was opened. */
  assertQuiet(): void;
  close(): Promise<void>;
}

/** One browser for a file of tests. */
export function sharedBrowser(): (options?: BrowserContextOptions) => Promise<WatchedPage> {
  let started: Promise<Browser> | undefined;
  after(async () => (await started)?.close());
  return async (options = {}) => {
    started ??= start();
    const context = await (await started).newContext(options);
    const page = await context.newPage();
    // Far more than anything takes, also on a busy machine.
    page.setDefaultTimeout(60_000);
    const faults: string[] = [];
    page.on('console', (message) => isFault(message) && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    return {
      page,
      assertQuiet: () => assert.deepEqual(faults, []),
      close: () => context.close(),
    };
  };
}

/** Browsers also tell of answers that refuse something, which pages show in words of their own. */
function isFault(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !/^Failed to load resource: .* status of 4\d\d/.test(message.text());
}

function start(): Promise<Browser> {
  // A container's root has no namespaces to put the browser's processes into.
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** Goes to another page as a link does, without loading all of it again. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
}

/** Whether some of what is in it lies beyond its edge, for `evaluate`. */
export const hasHidden = ({
  scrollWidth,
  clientWidth,
}: {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}) => scrollWidth > clientWidth;

/** Tables with as much room as they need, in windows of these widths; the last one stays. */
export async function assertTablesFit(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const table of await page.locator('.overflow-x-auto').all())
      assert.equal(await table.evaluate(hasHidden), false, `${page.url()} hides a part at ${width}`);
  }
}

/** No serious fault for those who can't see, hear or point, and nothing that hangs over the edge. */
export async function assertAccessible(page: Page, part = 'html'): Promise<void> {
  await assertNoFault(page, part, {});
}

/** The same of what changes with the look and the width of a page alone: most of the rest is the same in both. */
export async function assertReadable(page: Page): Promise<void> {
  await assertNoFault(page, 'html', { runOnly: { type: 'rule', values: ['color-contrast', 'target-size'] } });
}

async function assertNoFault(page: Page, part: string, options: object): Promise<void> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  // Colours in the middle of a transition are those of no look.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished))',
  );
  const how = { resultTypes: ['violations'], preload: false, ...options };
  const found = await page.evaluate<
    readonly {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
    }[]
  >(`axe.run(${JSON.stringify(part)}, ${JSON.stringify(how)}).then(({ violations }) => violations)`);
  const serious = found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
    );
  assert.deepEqual(serious, [], page.url());
  const over = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(over <= 0, `${page.url()} is ${over} px wider than the window`);
}
