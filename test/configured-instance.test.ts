import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadAll } from '../src/process/load-settings.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { startConnectProxy } from './support/connect-proxy.ts';
import { eventually } from './support/eventually.ts';
import { emptyFolder } from './support/weir-process.ts';

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 },
};

async function startProvider(t: TestContext): Promise<FakeUpstream> {
  const fake = await FakeUpstream.start({ body: completion });
  t.after(() => fake.close());
  return fake;
}

/** A gateway with this `weir.yaml`, which may be replaced by another. */
async function startWith(t: TestContext, text: string, environment = {}) {
  const folder = emptyFolder(t);
  const load = (yaml: string) => {
    const file = join(folder, 'weir.yaml');
    writeFileSync(file, yaml);
    return loadAll({ ...environment, PORT: '0', WEIR_DATA_DIR: folder }, { file });
  };
  const gateway = await startTestGateway((await load(text)).environment);
  cleanUp(t, () => gateway.close());
  const reload = async (yaml: string) => gateway.gateway.reload((await load(yaml)).settings);
  return { ...gateway, reload };
}

function ask(url: string, model: string, headers: readonly string[] = []) {
  const messages = [{ role: 'user', content: 'Hello' }];
  return call(url, { path: '/v1/chat/completions', headers, body: { model, messages } });
}

test('several providers of one kind have their own keys, headers, models and prices, also at one address', async (t) => {
  const [fake, other] = [await startProvider(t), await startProvider(t)];
  const { url } = await startWith(
    t,
    `providers:
  openai: {keys: [sk-first], base_url: "${fake.url}/v1"}
  openai-eu:
    kind: openai
    base_url: ${fake.url}/v1
    keys:
      - {name: main, secret: "\${EU_KEY}", weight: 5}
    headers: {X-Team: "search, \${TEAM}", helicone-auth: Bearer hidden-value-7}
    models: ["gpt-5*", house-model]
    prices:
      gpt-5-mini: {prices: {input: 3, output: 4}}
  openai-us: {kind: openai, base_url: "${other.url}/v1", keys: ["sk-us"]}
`,
    { EU_KEY: 'sk-eu', TEAM: 'eins' },
  );
  fake.answerWith(({ headers }) => ({
    body: completion,
    headers: { 'x-seen': String(headers['helicone-auth']), 'x-team-seen': String(headers['x-team']) },
  }));
  const eu = await ask(url, 'openai-eu/gpt-5-mini', ['x-team', 'from the client']);
  assert.equal(eu.status, 200, eu.text);
  assert.equal(fake.last.json.model, 'gpt-5-mini');
  assert.deepEqual(
    [fake.last.headers.authorization, fake.last.headers['x-team'], fake.last.headers['helicone-auth']],
    ['Bearer sk-eu', 'search, eins', 'Bearer hidden-value-7'],
  );
  // A value that looks like a credential is kept from the client, if the provider repeats it.
  assert.deepEqual([eu.headers['x-seen'], eu.headers['x-team-seen']], [undefined, 'search, eins']);
  assert.equal(eu.headers['x-weir-cost-usd'], '7');
  // The facts of the built-in provider hold for the new one: a `max_tokens` of another format gets its name at OpenAI.
  const body = { model: 'openai-eu/gpt-5-mini', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
  assert.equal((await call(url, { path: '/v1/messages', body })).status, 200);
  assert.equal(fake.last.json.max_completion_tokens, 50);

  assert.equal((await ask(url, 'gpt-5-mini')).status, 200);
  assert.deepEqual(
    [fake.last.headers.authorization, fake.last.headers['x-team']],
    ['Bearer sk-first', undefined],
  );
  assert.equal((await ask(url, 'openai-us/gpt-5-mini')).status, 200);
  assert.equal(other.last.headers.authorization, 'Bearer sk-us');

  const refused = await ask(url, 'openai-eu/gpt-4o');
  assert.equal(refused.status, 404);
  assert.match(refused.text, /has no model \\"gpt-4o\\" on this gateway; it has gpt-5\*, house-model/);
  const listed = JSON.stringify((await call(url, { path: '/v1/models' })).json);
  for (const [name, isListed] of Object.entries({
    'openai-eu/gpt-5-mini': true,
    'openai-eu/house-model': true,
    'openai-eu/gpt-4o': false,
    'openai-us/gpt-4o': true,
  }))
    assert.equal(listed.includes(`"${name}"`), isListed, name);
});

test('a provider may have a proxy, an authority and time limits of its own', async (t) => {
  const fixtures = join(import.meta.dirname, 'fixtures', 'tls');
  const [cert, key] = ['certificate.pem', 'key.pem'].map((name) =>
    readFileSync(join(fixtures, name), 'utf8'),
  );
  const secure = createTlsServer({ cert, key }, (_, res) => {
    res.setHeader('content-type', 'application/json').end(JSON.stringify(completion));
  }).listen(0, '127.0.0.1');
  // Takes connections, and never says anything.
  const silent = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(secure, 'listening'), once(silent, 'listening')]);
  t.after(() => [secure, silent].map((server) => server.close()));
  const proxy = await startConnectProxy(t);
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  const slow = await startProvider(t);
  slow.answerWith({
    ending: 'hang',
    chunks: ['data: {"id":"a","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'],
    headers: { 'content-type': 'text/event-stream' },
  });
  const address = `https://models.example:${portOf(secure)}/v1`;
  const { url } = await startWith(
    t,
    `providers:
  secure:
    base_url: ${address}
    proxy: ${proxy.url.href}
    tls: {ca: "file:${join(fixtures, 'certificate.pem')}"}
  unsure: {base_url: "${address}", proxy: "${proxy.url.href}"}
  stuck: {base_url: "http://127.0.0.1:${portOf(silent)}", timeouts: {answer: 100ms}}
  slow: {base_url: "${slow.url}", timeouts: {silence: 100ms}}
  behind: {base_url: "http://models.example", proxy: "http://127.0.0.1:${portOf(silent)}", timeouts: {connect: 100ms}}
`,
  );
  assert.equal((await ask(url, 'secure/m')).status, 200);
  assert.deepEqual(proxy.asked, [`models.example:${portOf(secure)}`]);
  const unsure = await ask(url, 'unsure/m');
  assert.deepEqual([unsure.status, /SELF_SIGNED/.test(unsure.text)], [502, true], unsure.text);
  const late = await ask(url, 'stuck/m');
  assert.deepEqual([late.status, /HEADERS_TIMEOUT/.test(late.text)], [504, true], late.text);
  const stream = { model: 'slow/m', stream: true, messages: [{ role: 'user', content: 'Hello' }] };
  assert.match(
    await call(url, { path: '/v1/chat/completions', body: stream }).then(({ text }) => text, String),
    /BODY_TIMEOUT/,
  );
  const unconnected = await ask(url, 'behind/m');
  assert.deepEqual([unconnected.status, /EPROXY/.test(unconnected.text)], [502, true], unconnected.text);
});

test('a further cloud has a region of its own, and diagnostics name the keys', async (t) => {
  const fake = await startProvider(t);
  const keys = ['main', 'spare'].map(
    (name) =>
      `{name: ${name}, secret: {accessKeyId: AKIAEXAMPLE12345${name.length}, secretAccessKey: s3cret}}`,
  );
  const weir = await startWith(
    t,
    `providers:
  bedrock-eu: {kind: bedrock, base_url: "${fake.url}", regions: [eu-west-1], keys: [${keys.join(', ')}]}
`,
  );
  fake.answerWith({ status: 403, body: { message: 'no' } });
  await ask(weir.url, 'bedrock-eu/amazon.nova-lite-v1:0');
  assert.match(String(fake.last.headers.authorization), /\/eu-west-1\/bedrock\/aws4_request/);
  const { text } = await call(weir.url, { path: '/v1/diagnostics?providers=1' });
  assert.match(text, /check key main, spare of its 2 in the settings/);
  assert.doesNotMatch(text, /s3cret/);
});

test('names of pipelines, aliases and rules hold for calls, headers and keys', async (t) => {
  const fake = await startProvider(t);
  const { url } = await startWith(
    t,
    `providers: {mine: {base_url: "${fake.url}", models: [one, two]}}
aliases:
  fast: [mine/one]
  second: {models: [mine/two, mine/one], strategy: order}
guardrails:
  rules: {codenames: {words: [falcon], action: block}}
pipelines:
  cached: [{exact-cache: {ttl: 10m}}]
  careful:
    - guardrails?rules=codenames&models=off
    - cost-guard: {request: 0.5, unknown: allow}
pipeline: careful
`,
  );
  const send = (model: string, content: string, pipeline?: string) =>
    call(url, {
      path: '/v1/chat/completions',
      headers: pipeline === undefined ? [] : ['x-weir-pipeline', pipeline],
      body: { model, messages: [{ role: 'user', content }] },
    });
  assert.equal((await send('fast', 'Hello')).status, 200);
  assert.equal(fake.last.json.model, 'one');
  assert.equal((await send('second', 'Hello')).status, 200);
  assert.equal(fake.last.json.model, 'two');
  const refused = await send('fast', 'What is falcon?');
  assert.match(refused.text, /blocked_by_module/);
  // What protects the instance stays beside a pipeline that a header names.
  await send('fast', 'Hello', 'cached');
  assert.equal((await send('fast', 'Hello', 'cached')).headers['x-weir-cache'], 'hit');
  assert.match((await send('fast', 'Is it falcon?', 'cached')).text, /blocked_by_module/);
  const { json } = await call(url, { path: '/v1/pipeline', headers: ['x-weir-pipeline', 'cached'] });
  assert.match(JSON.stringify(json), /"exact-cache".*"ttl":600/);
  const twice = await call(url, { path: '/v1/pipeline/check?list=cached,exact-cache,careful?x=1' });
  assert.match(twice.text, /names \\"exact-cache\\" twice.*there is no module \\"careful\\"/);
});

test('a reload adds, changes and removes providers, aliases and pipelines; a call goes on with the ones it began with', async (t) => {
  const [one, two] = [await startProvider(t), await startProvider(t)];
  const { url, reload } = await startWith(
    t,
    `providers: {house: {base_url: "${one.url}", headers: {x-team: first}}}
aliases: {fast: [house/a]}
pipelines: {cached: [{exact-cache: {ttl: 1h}}]}
`,
  );
  const answered = Promise.withResolvers<void>();
  one.answerWith(async () => {
    await answered.promise;
    return { body: completion };
  });
  const early = ask(url, 'fast');
  await eventually(() => (one.requests.length === 1 ? true : undefined));
  await reload(`providers:
  house: {base_url: "${one.url}", headers: {x-team: second}}
  other: {kind: openai, base_url: "${two.url}", keys: [sk-two]}
aliases: {fast: [other/gpt-5-mini]}
`);
  assert.equal((await ask(url, 'fast')).status, 200);
  assert.equal(two.last.headers.authorization, 'Bearer sk-two');
  assert.equal((await ask(url, 'fast', ['x-weir-pipeline', 'cached'])).status, 400);
  answered.resolve();
  assert.equal((await early).status, 200);
  assert.equal((await ask(url, 'house/a')).status, 200);
  assert.deepEqual(
    one.requests.map(({ headers }) => headers['x-team']),
    ['first', 'second'],
  );
  await assert.rejects(reload('providers: {house: {kind: nobody}}'), /providers.house.kind: must be one of/);
  assert.equal((await ask(url, 'fast')).status, 200);
});
