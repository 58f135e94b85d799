// Replaces one replica after the other by a newer build, under load: npm run test:rolling
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../scripts/test-servers/server-process.ts';
import type { Environment } from '../../src/gateway/settings.ts';
import { at } from '../support/at.ts';
import { call } from '../support/call.ts';
import { bearer, Person } from '../support/cloud.ts';
import { eventually } from '../support/eventually.ts';
import { loggedIds } from '../support/kill-trial.ts';
import { replicaSettings } from '../support/replicas.ts';
import { SteadyLoad, startSlowStreams } from '../support/steady-load.ts';
import { WeirProcess } from '../support/weir-process.ts';
import { startHaproxy } from './haproxy.ts';
import { newerBuild } from './newer-build.ts';

for (const workers of ['1', '2'])
  test(`replicas are replaced by a newer build without a failed call or a lost row (${workers} of WEIR_WORKERS)`, async (t) => {
    const provider = await startSlowStreams(1500);
    t.after(() => provider.close());
    const environment: Environment = {
      ...(await replicaSettings(t)),
      WEIR_MODE: 'cloud',
      WEIR_WORKERS: workers,
      WEIR_LOG_LEVEL: 'error',
      WEIR_TIER_FREE_LIMIT: '1000000',
      WEIR_ANTHROPIC_BASE_URL: provider.url,
      // Twice the usual, for checks on a machine that is busy with other things.
      WEIR_DRAIN_NOTICE: '10s',
    };
    const newer = newerBuild(t);
    const ports = [await freePort(), await freePort()];
    const start = (place: number, revision: string, bin?: string) =>
      new WeirProcess(t, {
        ...(bin !== undefined && { bin }),
        environment: { ...environment, PORT: String(ports[place]), WEIR_REVISION: `${revision}-${place}` },
      });
    const running = [start(0, 'older'), start(1, 'older')];
    await Promise.all(running.map(({ listening }) => listening));
    const proxy = await startHaproxy(t, ports);
    const served = (revision: string) =>
      eventually(async () => {
        const { json } = await call(proxy, { path: '/health' });
        return json.version === revision ? true : undefined;
      });
    await Promise.all([served('older-0'), served('older-1')]);
    const { key } = await (await Person.signUp(proxy)).makeKey();

    const load = new SteadyLoad({ place: () => proxy, key, streams: 6, others: 9 });
    await eventually(() => (load.streamsDone >= 6 ? true : undefined));
    for (const [place, older] of running.entries()) {
      const before = load.ids.length;
      older.signal('SIGTERM');
      assert.deepEqual(await older.exited, { code: 0, signal: null });
      const next = start(place, 'newer', newer);
      await next.listening;
      await served(`newer-${place}`);
      t.diagnostic(`${load.ids.length - before} calls were answered while replica ${place + 1} was replaced`);
    }
    const streams = load.streamsDone;
    await eventually(() => (load.streamsDone >= streams + 6 ? true : undefined));
    await load.stop();
    t.diagnostic(
      `${load.ids.length} calls, ${load.streamsDone} of them streams; ${load.failures.size} kinds of failures`,
    );
    for (const [how, times] of load.failures) t.diagnostic(`${times} × ${how}`);
    assert.deepEqual(load.failures, new Map());

    const logged = new Set(
      await eventually(async () => {
        const ids = await loggedIds(proxy, key);
        return ids.length >= load.ids.length ? ids : undefined;
      }),
    );
    assert.deepEqual(
      load.ids.filter((id) => !logged.has(id)),
      [],
    );
    await eventually(async () => {
      const { json } = await call(proxy, { path: '/v1/usage', headers: bearer(key) });
      return at(json, 'total', 'requests') === load.ids.length ? true : undefined;
    });

    const late = start(0, 'older');
    assert.equal((await late.exited).code, 1);
    assert.match(
      late.stderr,
      /^weir: the database can't be used: .*schema version \d+, but this version of Weir supports only up to \d+: start the newer Weir that created it\n$/,
    );
  });
