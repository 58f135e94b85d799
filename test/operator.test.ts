import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';

const token = 'the-token-of-the-operator';

function listOf(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value));
  return value;
}

test('diagnostics of a local gateway need no token, and name each check', async (t) => {
  const weir = await startTestGateway();
  cleanUp(t, () => weir.close());
  // A process that has just started on a busy machine is degraded at first.
  const { status, json } = await eventually(async () => {
    const answer = await call(weir.url, { path: '/v1/diagnostics' });
    return listOf(answer.json.processes).length > 0 && answer.json.status === 'ok' ? answer : undefined;
  });
  assert.deepEqual([status, json.mode, json.open_calls], [200, 'local', 0]);
  assert.equal(at(json, 'processes', 0, 'process_id'), process.pid);
  const names = listOf(json.checks).map((check) => at(check, 'name'));
  for (const name of ['database', 'usage', 'request log', 'egress', 'breakers', 'provider keys', 'models'])
    assert.ok(names.includes(name), name);
  const guarded = await startTestGateway({ WEIR_LOCAL_TOKEN: 'the local one' });
  cleanUp(t, () => guarded.close());
  assert.equal((await call(guarded.url, { path: '/v1/diagnostics' })).status, 401);
});

test('in cloud mode the operator alone sees diagnostics and accounts', async (t) => {
  const { url } = await startCloud(t, { WEIR_ADMIN_TOKEN: token });
  const ada = await Person.signUp(url, 'ada@example.com');
  const eve = await Person.signUp(url, 'eve@example.com');
  const { key } = await ada.makeKey();
  const hello = { model: 'demo-1', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
  await call(url, { path: '/v1/messages', headers: bearer(key), body: hello });
  for (const path of ['/v1/diagnostics', '/v1/operator/accounts', '/v1/operator/storage']) {
    for (const headers of [[], bearer(ada.token), bearer(key), bearer(`${token}x`)])
      assert.equal((await call(url, { path, headers })).status, 401, path);
    assert.equal((await call(url, { path, headers: bearer(token) })).status, 200, path);
  }
  const storage = await call(url, { path: '/v1/operator/storage', headers: bearer(token) });
  const parts = listOf(storage.json.parts);
  assert.ok(Number(storage.json.bytes) > 0 && parts.every((part) => Number(at(part, 'bytes')) > 0));
  assert.deepEqual(
    parts
      .slice(0, 3)
      .map((part) => ['name', 'kept_days', 'rows_max', 'bytes_max'].map((name) => at(part, name))),
    [
      ['request_log', 30, 1_000_000, null],
      ['log_sums', 30, null, null],
      ['recordings', 30, null, 1_073_741_824],
    ],
  );
  const accounts = async (query: string) => {
    const path = `/v1/operator/accounts${query}`;
    const { json } = await call(url, { path, headers: bearer(token) });
    return listOf(json.accounts).map((account) => [at(account, 'email'), at(account, 'requests')]);
  };
  await eventually(async () => ((await accounts('')).length === 1 ? true : undefined));
  assert.deepEqual(await accounts('?sort=calls'), [[ada.email, 1]]);
  assert.deepEqual(await accounts('?sort=email'), [
    [ada.email, 1],
    [eve.email, 0],
  ]);
  assert.deepEqual(await accounts(`?sort=email&after=${ada.email}`), [[eve.email, 0]]);
  const { text } = await call(url, { path: '/v1/operator/accounts?sort=size', headers: bearer(token) });
  assert.match(text, /sort/);
  // The operator's token is no credential of an account.
  assert.equal((await call(url, { path: '/v1/usage', headers: bearer(token) })).status, 401);
  assert.equal((await call(url, { path: '/v1/messages', headers: bearer(token), body: hello })).status, 401);
});

test('without a token operators have no routes in cloud mode', async (t) => {
  const { url } = await startCloud(t);
  const { status, text } = await call(url, { path: '/v1/diagnostics', headers: bearer(token) });
  assert.equal(status, 403);
  assert.match(text, /WEIR_ADMIN_TOKEN/);
  const { status: refused } = await call(url, { path: '/v1/operator/session', body: { token: '' } });
  assert.ok(refused === 400 || refused === 401);
});

test('a check that hangs, throws or fails is named, and the others are not affected', async () => {
  const { overallStatus, passed, runChecks } = await import('../src/telemetry/diagnostics.ts');
  const reports = await runChecks([
    { name: 'fine', run: () => passed('works') },
    { name: 'slow', run: () => new Promise(() => undefined) },
    {
      name: 'broken',
      run() {
        throw new Error('it broke');
      },
    },
  ]);
  assert.deepEqual(
    reports.map(({ name, status, detail }) => [name, status, detail]),
    [
      ['fine', 'ok', 'works'],
      ['slow', 'failing', 'no answer within 1500 ms'],
      ['broken', 'failing', 'it broke'],
    ],
  );
  assert.equal(overallStatus(reports), 'failing');
  assert.equal(overallStatus([passed('')]), 'ok');
});

test('loading a library for one check takes no time from the others', async () => {
  const { passed, runChecks } = await import('../src/telemetry/diagnostics.ts');
  const limitMs = 100;
  const loadUntil = performance.now() + 2 * limitMs;
  const reports = await runChecks(
    [
      {
        name: 'asks twice',
        // An answer may arrive while the library is loaded, and a second question only after that.
        async run() {
          for (let asked = 0; asked < 2; asked++) await new Promise(setImmediate);
          return passed('answered');
        },
      },
      {
        name: 'loads',
        async prepare() {
          while (performance.now() < loadUntil);
        },
        run: () => passed('loaded'),
      },
      {
        name: 'lacks its library',
        prepare: () => Promise.reject(new Error('no such package')),
        run: () => Promise.reject(new Error('no such package')),
      },
    ],
    limitMs,
  );
  assert.deepEqual(
    reports.map(({ status, detail }) => [status, detail]),
    [
      ['ok', 'answered'],
      ['ok', 'loaded'],
      ['failing', 'no such package'],
    ],
  );
});
