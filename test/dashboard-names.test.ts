import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertReadable, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';

const open = sharedBrowser();

/** Runs if it is taken for markup, and closes an attribute before. */
const attack = (field: string) => `"><img src=x onerror=ran('${field}')>`;

/** Every page of an account. */
const pages = [
  '/',
  '/requests',
  '/sessions',
  '/sessions/session-1',
  '/modules',
  '/models',
  '/aliases',
  '/batches',
  '/guardrails',
  '/recordings',
  '/archive',
  '/usage?by=key',
  '/usage?by=end_user',
  '/usage?by=tag',
  '/budgets',
  '/alerts',
  '/mcp-servers',
  '/moving',
  '/keys',
  '/provider-keys',
  '/receipts',
  '/billing',
  '/account',
  '/organization',
  '/projects',
  '/retention',
  '/audit',
];

/** Each answer takes a time of its own, so that parts of a page arrive one after the other. */
const delayOf = (path: string) => ([...path].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 8) * 40;

const watchPage = `
  window.ran = (field) => { document.documentElement.dataset.ran = field; };
  window.shift = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.shift += entry.value;
      for (const { node } of entry.sources) window.moved.push(String(node?.outerHTML ?? node?.textContent).slice(0, 150));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

test('names that callers choose stay texts on every page, and nothing moves while pages load', async (t) => {
  const weir = await startCloud(t, { WEIR_ACCOUNT_PROVIDERS: 'on' });
  const person = await Person.signUp(weir.url);
  const { id, key } = await person.makeKey({
    name: attack('key'),
    pipelineConfig: 'cost-guard?day=5',
  });
  const put = async (method: string, path: string, body: object) => {
    const { status, text } = await person.call({ method, path, body });
    assert.ok(status < 300, `${path}: ${text}`);
  };
  await put('PUT', `/v1/keys/${id}/owner`, { owner: attack('owner') });
  await put('PUT', '/v1/providers/acme', {
    kind: 'bedrock',
    base_url: `https://llm.example.com/${attack('address')}`,
    models: [attack('model')],
    deployments: { [attack('deployment')]: attack('model') },
    headers: { "x-'attack'": attack('header') },
  });
  await put('PUT', '/v1/aliases/fast', { models: ['demo-1'] });
  await put('PUT', '/v1/guardrails/rules/staff-number', {
    words: [attack('word')],
    action: 'redact',
    replacement: attack('replacement').slice(0, 40),
  });
  await put('POST', '/v1/webhooks', {
    url: `https://example.com/?x=${attack('url')}`,
    events: ['key.revoked'],
  });
  await put('POST', '/v1/patterns', { trigger: attack('trigger'), advice: attack('advice') });
  const say = (model: string, ...headers: readonly string[]) =>
    call(weir.url, {
      path: '/v1/messages',
      headers: ['authorization', `Bearer ${key}`, 'user-agent', attack('agent'), ...headers],
      body: {
        model,
        max_tokens: 20,
        metadata: { user_id: attack('person') },
        messages: [{ role: 'user', content: attack('prompt') }],
      },
    });
  const tags = ['x-weir-tags', `team=${attack('tag').replaceAll(/[^\w .<>='"()-]/g, '')}`];
  await say('demo-1', 'x-weir-conversation', 'session-1', ...tags);
  await say(attack('model'));
  await eventually(async () => {
    const { json } = await person.call({ path: '/v1/requests?limit=5' });
    return (Array.isArray(json.requests) && json.requests.length === 2) || undefined;
  });

  const { page, assertQuiet, close } = await open({ viewport: { width: 390, height: 844 } });
  cleanUp(t, close);
  await page.goto(`${weir.url}/login`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.addInitScript(watchPage);
  await page.route(/\/v1\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, delayOf(new URL(route.request().url()).pathname)));
    await route.continue();
  });
  for (const path of pages)
    await t.test(path, async () => {
      await page.goto(weir.url + path);
      await page.locator('main h1').waitFor();
      await page.waitForLoadState('networkidle');
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const [shift, moved, ran] = await page.evaluate<[number, readonly string[], string | undefined]>(
        '[window.shift, window.moved, document.documentElement.dataset.ran]',
      );
      assert.equal(ran, undefined);
      assert.ok(shift < 0.001, `a layout shift of ${shift}: ${moved.join(', ')}`);
      assert.equal(await page.locator('main img[src=x]').count(), 0);
      await assertReadable(page);
    });
  assertQuiet();
});
