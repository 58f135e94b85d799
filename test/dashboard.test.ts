import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';
import { assertAccessible, assertReadable, goWithin, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';

const open = sharedBrowser();
let started: Promise<TestGateway> | undefined;
/** One for all tests that need none of their own. */
const gateway = () => {
  started ??= startTestGateway();
  return started;
};
after(async () => (await started)?.close());
const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'gzip, br' };
/** All that comes over the network before a person can use the first page. */
const firstLoadBytesMax = 250_000;

test('a browser gets the page at any address that is no route, and programs get what they got before', async () => {
  const weir = await gateway();
  const root = await fetch(weir.url);
  assert.match(await root.text(), /"name":"weir"/);
  for (const path of ['/', '/requests', '/requests/of/mine']) {
    const page = await fetch(weir.url + path, { headers: asBrowser });
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*script-src 'self'.*style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  }
  for (const path of ['/v1/nothing', '/assets/nothing.js', '/assets/../index.html', '/.well-known/nothing']) {
    const missing = await fetch(weir.url + path, { headers: asBrowser });
    assert.notEqual(
      missing.headers.get('content-type')?.startsWith('text/html'),
      missing.status !== 200,
      path,
    );
  }
  const told = await fetch(`${weir.url}/v1/requests`);
  assert.equal(told.headers.get('cache-control'), 'no-store', 'what one person was told is in no cache');
  const metrics = await fetch(`${weir.url}/health`, { headers: asBrowser });
  assert.match(await metrics.text(), /"status":"ok"/);

  const html = await (await fetch(weir.url, { headers: asBrowser })).text();
  assert.doesNotMatch(html, /<style|<script(?![^>]*src=)|style=/);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
  for (const encoding of ['br', 'gzip', 'identity']) {
    const asset = await fetch(weir.url + script, { headers: { 'accept-encoding': encoding } });
    assert.equal(asset.headers.get('content-encoding'), encoding === 'identity' ? null : encoding);
    assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
    assert.match(await asset.text(), /import|function/);
  }
  const posted = await fetch(`${weir.url}/requests`, { method: 'POST', headers: asBrowser });
  assert.equal(posted.status, 404);
});

test('a link on another site leads to the page, and its scripts and frames to nothing', async () => {
  const weir = await gateway();
  const followed = ['accept', 'text/html', 'sec-fetch-site', 'cross-site', 'sec-fetch-mode', 'navigate'];
  const by = async (path: string, more: readonly string[]) =>
    (await call(weir.url, { path, headers: [...followed, ...more] })).status;
  assert.equal(await by('/requests?open=req_1', ['sec-fetch-dest', 'document']), 200);
  assert.equal(await by('/requests', ['sec-fetch-dest', 'iframe']), 403);
  assert.equal(await by('/v1/requests', ['sec-fetch-dest', 'document']), 403);
});

test('WEIR_DASHBOARD=off leaves browsers what programs get', async (t) => {
  const weir = await startTestGateway({ WEIR_DASHBOARD: 'off' });
  cleanUp(t, () => weir.close());
  assert.match(await (await fetch(weir.url, { headers: asBrowser })).text(), /"name":"weir"/);
  assert.equal((await fetch(`${weir.url}/requests`, { headers: asBrowser })).status, 404);
});

test('a local gateway with a token asks for it once, and keeps it from scripts', async (t) => {
  const weir = await startTestGateway({ WEIR_LOCAL_TOKEN: 'the one that is accepted' });
  cleanUp(t, () => weir.close());
  const { page, assertQuiet, close } = await open();
  cleanUp(t, close);
  await page.goto(weir.url);
  await page.getByLabel('Token').fill('another');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('Wrong token; send the value of WEIR_LOCAL_TOKEN').waitFor();
  await assertAccessible(page);
  await page.getByLabel('Token').fill('the one that is accepted');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('Three steps').waitFor();
  assert.match(await page.locator('pre').innerText(), /authorization: Bearer \$WEIR_LOCAL_TOKEN/);
  assert.equal(await page.evaluate('document.cookie'), '');
  await page.reload();
  await page.getByText('Three steps').waitFor();
  assertQuiet();
});

test('a person opens an empty local gateway, and finds each answer on its page', async (t) => {
  const weir = await startTestGateway({ WEIR_PIPELINE: 'exact-cache,cost-guard?day=5' });
  cleanUp(t, () => weir.close());
  const { page, assertQuiet, close } = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, close);
  const say = (content: string) =>
    new Anthropic({ baseURL: weir.url, apiKey: 'any' }).messages.create({
      model: 'demo-1',
      max_tokens: 100,
      messages: [{ role: 'user', content }],
    });

  await t.test('three steps with its own address, and it notices the first call', async () => {
    const loads: Promise<number>[] = [];
    const gone = { responseBodySize: 0 };
    page.on('response', (response) => {
      const sizes = response.request().sizes();
      loads.push(sizes.catch(() => gone).then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(weir.url, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { name: 'Point your client here' }).waitFor();
    const bytes = (await Promise.all(loads)).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 50_000 && bytes <= firstLoadBytesMax, `${bytes} bytes`);
    assert.match(await page.locator('pre').innerText(), new RegExp(`curl ${weir.url}/v1/messages`));
    await assertAccessible(page);
    await say('Hello');
    await page.getByRole('heading', { name: 'By model', exact: true }).waitFor();
    await say('Hello');
    await page.reload();
    await page.getByText('1 answered from memory').waitFor();
    await page.getByText('$0 of $5.00 · 0 %').waitFor();
    await page.getByText('Week', { exact: true }).click();
    await page.waitForURL(/range=7d/);
    assert.equal(await page.locator('aside nav a[aria-current=page]').innerText(), 'Overview');
    await page.locator('.u-over').hover();
    await assertAccessible(page);
  });

  await t.test('the log is live without moving, and opens one call beside it', async () => {
    await page.getByRole('link', { name: 'Requests' }).first().click();
    const rows = page.getByRole('list', { name: 'Requests, the newest first' }).getByRole('button');
    await rows.nth(1).waitFor();
    assert.match(await rows.nth(0).innerText(), /hit exact-cache/);
    await say('Something else');
    const fresh = page.getByRole('button', { name: '1 new' });
    await fresh.waitFor();
    assert.equal(await rows.count(), 2);
    await fresh.click();
    await rows.nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.getByText('answered from memory; no provider was asked').waitFor();
    await assertAccessible(page);
    await page.reload();
    await page.getByText('answered from memory; no provider was asked').waitFor();
    await page.keyboard.press('Escape');
    await rows.nth(0).click();
    const details = page.getByRole('complementary', { name: 'Request' });
    await details.waitFor();
    await page.goBack();
    await details.waitFor({ state: 'detached' });
    await page.getByLabel('Part of a model').fill('emo-');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Module' }).selectOption('exact-cache');
    await rows.nth(1).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Result' }).selectOption('error');
    await page.getByText('No call matches these filters.').waitFor();
    assert.match(page.url(), /search=emo-.*module=exact-cache.*status=error/);
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await rows.nth(2).waitFor();
  });

  await t.test('the palette finds pages, and "?" tells the keys', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('A page, model').fill('playg');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    await page.locator('body').press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await assertAccessible(page, '[role=dialog]');
    await page.keyboard.press('Escape');
  });

  await t.test('the playground streams side by side and tells what each did', async () => {
    for (const [at, format] of [
      [1, 'openai-chat'],
      [2, 'gemini'],
    ] as const) {
      await page.getByRole('button', { name: 'Add a column' }).click();
      await page.getByRole('combobox', { name: 'Format' }).nth(at).selectOption(format);
    }
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('This is a demonstration answer').nth(2).waitFor();
    await page.getByText('exact-cache passed').first().waitFor();
    await page.getByRole('button', { name: 'Code' }).first().click();
    assert.match(await page.locator('pre').innerText(), /curl .*\/v1\/messages/);
    await page.keyboard.press('Escape');
    await assertAccessible(page);
  });

  await t.test('modules have a pipeline editor that goes both ways', async () => {
    await page.getByRole('link', { name: 'Modules' }).first().click();
    const text = page.getByRole('textbox', { name: 'As text' });
    await text.fill('cost-guard?day=5,exact-cache');
    await page.getByRole('button', { name: 'Put in order' }).click();
    assert.equal(await text.inputValue(), 'exact-cache,cost-guard?day=5');
    await page.getByRole('textbox', { name: 'ttl' }).fill('2h');
    assert.equal(await text.inputValue(), 'exact-cache?ttl=2h,cost-guard?day=5');
    await page.getByRole('button', { name: 'Write one' }).click();
    await page.getByLabel('When').fill('Tests fail on Windows');
    await page.getByLabel('Advice').fill('Look for path separators first.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /Look for path separators/ }).click();
    await page.getByText('with a probability of').waitFor();
    await assertAccessible(page, '[role=dialog]');
    await page.keyboard.press('Escape');
    await text.fill('exact-cache?ttl=soon');
    await page.getByText(/ttl: must be/).waitFor();
    await assertAccessible(page);
  });

  await t.test('modules that are not worth their place say so', async () => {
    const exactCache = {
      ...{ module: 'exact-cache', since: '2026-11-02', calls: 4211, verdict: 'nothing_shown', basis: 'hits' },
      ...{ saved_usd: '0', spent_usd: '0', method: '' },
      stepped_aside: {
        since: '2026-11-03T10:00:00Z',
        until: '2026-12-03T10:00:00Z',
        reason: 'nothing_shown',
      },
    };
    await page.route('**/v1/savings', (route) => route.fulfill({ json: { modules: [exactCache] } }));
    await page.reload();
    await page.getByText('No saving can be shown in 4,211 calls since Nov 2, 2026.').waitFor();
    await page.getByText('stepped aside since Nov 3, 2026, tried again on Dec 3, 2026.').waitFor();
    await assertAccessible(page);
    await page.unroute('**/v1/savings');
  });

  await t.test(
    'a configuration of a module is stored, named in the pipeline, changed and deleted',
    async () => {
      const text = page.getByRole('textbox', { name: 'As text' });
      await text.fill('exact-cache?max_bytes=9');
      await page.getByRole('button', { name: 'New configuration' }).click();
      await page.getByLabel('Name of the configuration').fill('long');
      const json = page.getByLabel('Options as JSON');
      await json.fill('[1]');
      await page.getByText('This must be a JSON object.').waitFor();
      await json.fill('{"ttl": "soon", "color": 1}');
      await page.getByRole('button', { name: 'Store', exact: true }).click();
      await page.getByText(/exact-cache:long\?ttl: must be.*there is no option "color"/i).waitFor();
      await assertAccessible(page);
      await json.fill('{"ttl": "24h"}');
      await page.getByRole('button', { name: 'Store', exact: true }).click();
      const choice = page.getByLabel('Configuration', { exact: true });
      await choice.waitFor();
      assert.equal(await text.inputValue(), 'exact-cache:long?max_bytes=9');
      assert.equal(await choice.inputValue(), 'long');
      await choice.selectOption('none');
      assert.equal(await text.inputValue(), 'exact-cache?max_bytes=9');
      await choice.selectOption('long');
      await text.fill('exact-cache:nosuch');
      await page.getByText(/no configuration "exact-cache:nosuch"/i).waitFor();
      await choice.selectOption('long');
      await page.getByRole('button', { name: 'Edit long' }).click();
      assert.match(await json.inputValue(), /"ttl": "24h"/);
      await page.getByRole('button', { name: 'Delete' }).click();
      await choice.waitFor();
      assert.equal(await text.inputValue(), 'exact-cache');
      assert.deepEqual(await choice.locator('option').allInnerTexts(), ['none']);
    },
  );

  await t.test('provider keys are stored and removed', async () => {
    await page.getByRole('link', { name: 'Provider keys' }).first().click();
    await page.getByRole('button', { name: 'Store a key for Anthropic' }).click();
    await page.getByLabel('Key', { exact: true }).fill('sk-ant-api03-abcdefghijklmnop1234');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    await page.getByText('…1234').waitFor();
    await page.getByRole('button', { name: 'Add a key for Anthropic' }).click();
    await page.getByLabel('Key', { exact: true }).fill('sk-ant-api03-abcdefghijklmnop5678');
    await page.getByLabel('Name, if any').fill('second');
    await page.getByLabel('Weight').fill('3');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    const second = page.getByRole('listitem').filter({ hasText: 'second' }).last();
    await second.getByText('weight 3 · 75 %').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Remove' }).first().click();
    await page.getByRole('dialog').getByText('move to the other keys').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('…1234').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('…5678').waitFor({ state: 'detached' });
  });

  await t.test('the reference can be tried', async () => {
    await page.getByRole('link', { name: 'API' }).first().click();
    await page.getByRole('button', { name: 'GET /v1/usage' }).click();
    await page.getByRole('button', { name: 'Send GET' }).click();
    await page.getByText('"cost_usd"').first().waitFor();
    await assertAccessible(page);
  });

  await t.test('dark and on a phone, too', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [path, text] of [
      ['/', 'By model'],
      ['/requests', 'That is all of them.'],
      ['/playground', 'The answer appears here.'],
      ['/modules', 'Look for path separators'],
      ['/provider-keys', 'Store a key'],
      ['/reference', '/v1/messages'],
    ] as const) {
      await goWithin(page, path);
      await page.getByText(text).first().waitFor();
      await assertReadable(page);
    }
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'API' }).waitFor();
    await page.keyboard.press('Escape');
  });

  assertQuiet();
  await t.test('says so when the gateway is gone, and keeps what it had', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await goWithin(page, '/requests');
    await page.getByText('hit exact-cache').first().waitFor();
    await page.context().setOffline(true);
    await page.getByText('The gateway does not respond; this data may be outdated').waitFor();
    assert.ok(await page.getByText('hit exact-cache').first().isVisible());
    await page.context().setOffline(false);
    await page.getByText('The gateway does not respond').waitFor({ state: 'detached' });
    await page.route('**/v1/requests?*', (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByText('Not live').waitFor();
    await page.reload();
    await page.getByText('The gateway answered 500.').waitFor();
    assert.equal(await page.getByText('That is all of them.').count(), 0);
  });
});
