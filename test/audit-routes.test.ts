import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAuditEvent } from '../src/audit/events.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { openChains, readChain } from './support/audit-chains.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { emptyFolder } from './support/weir-process.ts';

const adminToken = 'the-token-of-the-operator-of-this-test';
const everything = {
  WEIR_ADMIN_TOKEN: adminToken,
  WEIR_ACCOUNT_PROVIDERS: 'on',
  WEIR_SANDBOX_MODELS: 'demo-1',
};

describe('every request that may change something', () => {
  for (const mode of ['local', 'cloud'])
    test(`names its event, or says that it has none, in ${mode} mode`, async (t) => {
      const gateway = await startTestGateway({ WEIR_MODE: mode, ...everything });
      cleanUp(t, () => gateway.close());
      const { json } = await call(gateway.url, { path: '/openapi.json' });
      const left: string[] = [];
      let audited = 0;
      for (const [path, methods] of Object.entries(Object(json.paths)))
        for (const [method, operation] of Object.entries(Object(methods))) {
          const { 'x-audit-event': event, description } = Object(operation);
          // A call to a model is in the request log.
          const isCall = String(description).includes('unknown fields and headers are passed through');
          if (isAuditEvent(event)) audited++;
          else if (method !== 'get' && event !== 'none' && !isCall) left.push(`${method} ${path}`);
        }
      assert.deepEqual(left, []);
      assert.ok(audited > 10, `${audited}`);
    });
});

test('a change has the values before and after, with people and secrets kept out of the chain', async (t) => {
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t) };
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  const { id } = await ada.makeKey({ name: 'Ada’s laptop', pipelineConfig: 'exact-cache' });
  const put = (path: string, body: object, method = 'PUT') =>
    ada.call({ path: `/v1/keys/${id}${path}`, method, body });
  await put('', { name: 'Grace’s laptop' }, 'PATCH');
  await put('/owner', { owner: 'Grace' });
  await put('/limits', { requests_per_minute: 5 });
  await put('/access', { addresses: ['203.0.113.0/24'], models: ['gpt-*'] });
  await put('/receipts', { enabled: true });
  await ada.call({ path: '/v1/aliases/fast', method: 'PUT', body: { models: ['demo-1'] } });
  await ada.call({ path: '/v1/aliases/fast', method: 'PUT', body: { models: ['demo-1', 'demo-1'] } });
  await ada.call({ path: '/v1/organization', method: 'PATCH', body: { name: 'Grace and friends' } });
  const entries = (await readChain(await openChains(t, environment), ada.id)).slice(1);
  assert.deepEqual(
    entries.map(({ fields: { event, changed, before, after } }) => [event, changed, before, after]),
    [
      ['key.created', undefined, undefined, { pipelineConfig: 'exact-cache' }],
      ['key.changed', ['name'], {}, {}],
      ['key.changed', ['owner'], { owner: '' }, {}],
      ['key.changed', ['requests_per_minute'], { requests_per_minute: null }, { requests_per_minute: 5 }],
      ['key.changed', ['models', 'addresses'], { models: null, addresses: null }, { models: ['gpt-*'] }],
      ['key.changed', ['receipts'], { receipts: false }, { receipts: true }],
      ...entries
        .slice(6)
        .map(({ fields: { event, changed, before, after } }) => [event, changed, before, after]),
    ],
  );
  const [, renamed, , , access, , alias] = entries;
  assert.equal(renamed?.personal['before.name'], 'Ada’s laptop');
  assert.equal(renamed?.personal['after.name'], 'Grace’s laptop');
  assert.equal(access?.personal['after.addresses'], '["203.0.113.0/24"]');
  assert.deepEqual(alias?.fields.after.models, ['demo-1']);
  assert.equal(entries.at(-1)?.personal['after.name'], 'Grace and friends');
  for (const { text } of entries)
    for (const personal of ['Grace', 'Ada’s', '203.0.113']) assert.ok(!text.includes(personal), text);
});

test('who tries what they may not do is in the chain, a few times in a while', async (t) => {
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t), ...everything };
  const gateway = await startCloud(t, environment);
  const { url } = gateway;
  const ada = await Person.signUp(url);
  const { key, id } = await ada.makeKey();
  const alias = { path: '/v1/aliases/fast', method: 'PUT', body: { models: ['demo-1'] } };
  for (let attempts = 0; attempts < 8; attempts++)
    assert.equal((await call(url, { ...alias, headers: bearer(key) })).status, 403);
  await call(url, alias);
  await call(url, { path: '/v1/admin/reload', method: 'POST', headers: bearer('a-wrong-token') });
  await gateway.close();
  const audit = await openChains(t, environment);
  const refusals = async (chain: string) =>
    (await readChain(audit, chain))
      .filter(({ fields }) => fields.event === 'access.refused')
      .map(({ fields: { attempt, actor, reason, more } }) => [attempt, actor, reason, more]);
  const refused = ['PUT /v1/aliases/:name', `key:${id}`, 'forbidden'];
  assert.deepEqual(await refusals(ada.id), [
    ...Array.from({ length: 5 }, () => [...refused, undefined]),
    [...refused, 3],
  ]);
  assert.deepEqual(await refusals('instance'), [
    ['POST /v1/admin/reload', undefined, 'authentication_required', undefined],
  ]);
});
