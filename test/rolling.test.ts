import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { loggedIds } from './support/kill-trial.ts';
import { replicaSettings } from './support/replicas.ts';
import { SteadyLoad, startSlowStreams } from './support/steady-load.ts';

/** `npm run test:rolling` does it with processes behind a balancer, a newer build and a migration. */
test('replicas that are replaced one by one fail no call of clients that look who is ready, and lose no row', async (t) => {
  const provider = await startSlowStreams(300);
  cleanUp(t, async () => provider.close());
  const environment = await replicaSettings(t, { WEIR_ANTHROPIC_BASE_URL: provider.url });
  const replicas = await Promise.all([startCloud(t, environment), startCloud(t, environment)]);
  const { key } = await (await Person.signUp(String(replicas[0]?.url))).makeKey();
  let turn = 0;
  const place = () =>
    eventually(async () => {
      const url = String(replicas[turn++ % 2]?.url);
      const ready = await call(url, { path: '/ready' }).catch(() => undefined);
      return ready?.status === 200 ? url : undefined;
    });

  const load = new SteadyLoad({ place, key, streams: 2, others: 3 });
  const more = async () => {
    const [calls, streams] = [load.ids.length, load.streamsDone];
    await eventually(() =>
      load.ids.length > calls + 10 && load.streamsDone > streams + 2 ? true : undefined,
    );
  };
  await more();
  for (const [number, replica] of replicas.entries()) {
    const { gateway, url } = replica;
    gateway.announceShutdown();
    const { status, headers, json } = await call(url, { path: '/ready' });
    assert.deepEqual([status, json, headers.connection], [503, { status: 'draining', stores: {} }, 'close']);
    await more();
    const answered = await call(url, { path: '/v1/usage', headers: bearer(key) });
    assert.deepEqual([answered.status, answered.headers.connection], [200, 'close']);
    await gateway.drain(60_000);
    await replica.close();
    replicas[number] = await startCloud(t, environment);
    await more();
  }
  await load.stop();
  assert.deepEqual(load.failures, new Map());
  const url = await place();
  // What the other one has in memory is stored within a second.
  await eventually(async () => {
    const logged = new Set(await loggedIds(url, key));
    return load.ids.every((id) => logged.has(id)) ? true : undefined;
  });
  await eventually(async () => {
    const { json } = await call(url, { path: '/v1/usage', headers: bearer(key) });
    return at(json, 'total', 'requests') === load.ids.length ? true : undefined;
  });
});
