import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { replicaSettings } from './support/replicas.ts';
import { runCommand } from './support/run-command.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { emptyFolder } from './support/weir-process.ts';

const body = { model: 'demo-1', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] };

test('with WEIR_COUNTS=database calls go on without Redis, and caps and ceilings are exact where one replica is cut off from it', async (t) => {
  const [limit, calls] = [60, 300];
  const prices = join(emptyFolder(t), 'prices.json');
  writeFileSync(
    prices,
    JSON.stringify({ models: { 'demo/demo-1': { prices: { input: 0, output: 1000 } } } }),
  );
  const settings = await replicaSettings(t, {
    WEIR_MODE: 'cloud',
    WEIR_COUNTS: 'database',
    WEIR_PRICES: prices,
    WEIR_TIER_FREE_LIMIT: String(limit),
  });
  const { proxy, url } = await TcpProxy.to(t, String(settings.REDIS_URL));
  const [cutOff, other] = [
    await startCloud(t, { ...settings, REDIS_URL: url }),
    await startCloud(t, settings),
  ];
  const person = await Person.signUp(other.url);
  const [first, second] = [await person.makeKey(), await person.makeKey()];
  const ready = async () => Object(JSON.parse((await call(cutOff.url, { path: '/ready' })).text));
  assert.equal((await ready()).status, 'ready');
  proxy.stop();
  const degraded = await eventually(async () => {
    const state = await ready();
    return state.status === 'degraded' ? state : undefined;
  });
  assert.deepEqual(degraded.stores, { database: 'up', redis: 'down' });

  const pipeline = ['x-weir-pipeline', 'exact-cache'];
  const ask = (gateway: { readonly url: string }, key: string, headers: readonly string[] = []) =>
    call(gateway.url, { path: '/v1/messages', headers: [...bearer(key), ...headers], body });
  assert.equal((await ask(cutOff, first.key, pipeline)).status, 200);
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, n) => ask(n % 2 === 0 ? cutOff : other, first.key)),
  );
  const answered = answers.filter(({ status }) => status === 200).length;
  assert.equal(answered, limit - 1);
  const codes = new Set(
    answers.filter(({ status }) => status !== 200).map(({ json }) => at(json, 'error', 'code')),
  );
  for (const code of codes)
    assert.ok(code === 'tier_cap_reached' || code === 'concurrency_limit', String(code));

  // A revoked key works nowhere from then on, and a new tier holds.
  assert.equal((await person.call({ path: `/v1/keys/${first.id}`, method: 'DELETE' })).status, 204);
  const tier = await runCommand(t, ['users', 'set-tier', person.email, 'pro'], settings);
  assert.equal(tier.code, 0, tier.complained);
  for (const gateway of [cutOff, other]) {
    assert.equal((await ask(gateway, first.key)).status, 401);
    assert.equal((await ask(gateway, second.key)).status, 200);
  }

  const limited = await person.makeKey({ pipelineConfig: 'cost-guard?day=0.1' });
  const paid = await Promise.all(
    Array.from({ length: calls / 3 }, (_, n) => ask(n % 2 === 0 ? cutOff : other, limited.key)),
  );
  const spent = paid.reduce((sum, { headers }) => sum + Number(headers['x-weir-cost-usd'] ?? 0), 0);
  assert.ok(spent > 0.05 && spent < 0.1 + 1e-9, String(spent));
  assert.deepEqual(new Set(paid.map(({ status }) => status)), new Set([200, 402]));
  await proxy.start();
});
