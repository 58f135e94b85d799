import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createGateway, type GatewayOptions } from '../src/index.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { emptyFolder } from './support/weir-process.ts';

const path = '/v1/pipeline/gateway';

async function start(t: TestContext, options: GatewayOptions = {}) {
  const gateway = createGateway(options);
  cleanUp(t, () => gateway.stop());
  const url = await gateway.start();
  return {
    gateway,
    url,
    get: () => call(url, { path }),
    put: (pipeline: string, headers: readonly string[] = []) =>
      call(url, { method: 'PUT', path, headers, body: { pipeline } }),
    modulesOf: async (headers: readonly string[] = []) => {
      const { json } = await call(url, { path: '/v1/pipeline', headers });
      const { source, active, errors } = json as {
        source: string;
        active: { name: string }[];
        errors?: string[];
      };
      return [source, active.map(({ name }) => name).join(','), ...(errors ?? [])];
    },
    ask: (headers: readonly string[] = []) =>
      call(url, {
        path: '/v1/messages',
        headers,
        body: { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
      }),
  };
}

test('a local gateway stores its pipeline, runs it from the next call on, and keeps it', async (t) => {
  const dataDir = emptyFolder(t);
  const first = await start(t, { dataDir });
  assert.deepEqual(await first.modulesOf(), ['default', 'cost-guard']);
  const stored = await first.put('exact-cache,cost-guard?day=5');
  assert.equal(stored.status, 200, stored.text);
  assert.equal(stored.json.source, 'stored');
  const since = at(stored.json, 'modules', 0, 'since');
  assert.equal(typeof since, 'string');
  assert.match(String((await first.ask()).headers['x-weir-modules']), /^exact-cache;miss/);
  assert.match(String((await first.ask()).headers['x-weir-modules']), /^exact-cache;hit/);
  assert.deepEqual(await first.modulesOf(['x-weir-pipeline', 'none']), ['header', 'cost-guard']);

  const changed = await first.put('exact-cache?ttl=1h');
  assert.equal(at(changed.json, 'modules', 0, 'since'), since, 'it has been on all the time');
  await first.gateway.stop();

  const second = await start(t, { dataDir });
  assert.deepEqual(await second.modulesOf(), ['stored', 'exact-cache']);
  assert.equal((await call(second.url, { method: 'DELETE', path })).status, 204);
  assert.deepEqual(await second.modulesOf(), ['default', 'cost-guard']);
});

test('WEIR_PIPELINE rules: what is stored waits, and can not be changed', async (t) => {
  const dataDir = emptyFolder(t);
  const open = await start(t, { dataDir });
  await open.put('exact-cache');
  await open.gateway.stop();
  const fixed = await start(t, { dataDir, pipeline: 'cost-guard?day=5' });
  assert.deepEqual(await fixed.modulesOf(), ['environment', 'cost-guard']);
  const { json } = await fixed.get();
  assert.deepEqual([json.source, json.can_be_stored], ['environment', false]);
  assert.equal(at(json, 'stored', 'pipeline'), 'exact-cache');
  const since = at(json, 'modules', 0, 'since');
  assert.match(String(since), /^\d{4}-/);
  await fixed.gateway.stop();
  const again = await start(t, { dataDir, pipeline: 'exact-cache,cost-guard?day=9' });
  const later = (await again.get()).json;
  assert.equal(at(later, 'modules', 1, 'since'), since, 'a start with other options is no change');
  assert.ok(String(at(later, 'modules', 0, 'since')) > String(since));
  const refused = await again.put('none');
  assert.deepEqual([refused.status, at(refused.json, 'error', 'code')], [409, 'set_by_environment']);
});

test('a stored pipeline is checked, and names configurations that can not be deleted', async (t) => {
  const { url, put, get, ask } = await start(t);
  const refused = await put('exact-cash,cost-guard?dya=5');
  assert.deepEqual([refused.status, at(refused.json, 'error', 'code')], [400, 'bad_pipeline']);
  assert.equal(
    at(refused.json, 'error', 'message'),
    'there is no module "exact-cash" here; did you mean "exact-cache"?; cost-guard: there is no option "dya"; did you mean "day"?',
  );
  assert.equal((await get()).json.source, 'default');
  const configuration = '/v1/configurations/cost-guard/tight';
  await call(url, { method: 'PUT', path: configuration, body: { request: 0.000001, unknown: 'allow' } });
  assert.equal((await put('cost-guard:tight')).status, 200);
  assert.equal((await ask()).status, 200);
  const inUse = await call(url, { method: 'DELETE', path: configuration });
  assert.deepEqual([inUse.status, at(inUse.json, 'error', 'code')], [409, 'configuration_in_use']);
});

test('a stored pipeline whose module is gone rejects calls, and says why', async (t) => {
  const dataDir = emptyFolder(t);
  const passing = {
    ...({ api: 1, name: 'passing', summary: 'Passes.', status: 'preview', protective: false } as const),
    ...({ ifBroken: 'skip', touches: [] } as const),
    options: { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: {} }) } } as const,
    handle: (exchange: never, next: (exchange: never) => Promise<never>) => next(exchange),
  };
  const before = await start(t, { dataDir, modules: [passing] });
  assert.equal((await before.put('passing')).status, 200);
  await before.gateway.stop();
  const after = await start(t, { dataDir });
  const [source, , fault] = await after.modulesOf();
  assert.equal(source, 'stored');
  assert.match(String(fault), /there is no module "passing"/);
  assert.deepEqual((await after.get()).json.faults, [fault]);
  assert.equal(at((await after.ask()).json, 'error', 'code'), 'unknown_module');
});

test('storing needs the local token where one is set', async (t) => {
  const local = await start(t, { variables: { WEIR_LOCAL_TOKEN: 'the token of this gateway' } });
  assert.equal((await local.put('none')).status, 401);
  assert.equal((await local.put('none', ['authorization', 'Bearer the token of this gateway'])).status, 200);
});
