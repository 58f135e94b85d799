import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HealthParts, healthRoutes } from './health.ts';

const up = { ping: async () => undefined };
const silent = { ping: () => new Promise<void>(() => undefined) };

const parts: HealthParts = {
  revision: 'dev',
  startedAtMs: 0,
  now: () => 0,
  providers: {},
  isShuttingDown: () => false,
  requiredStores: { redis: up },
  otherStores: { database: silent },
};

test('readiness does not wait for a store that calls can do without', async () => {
  const route = healthRoutes(parts).find(({ path }) => path === '/ready');
  assert.ok(route?.kind === 'own');
  const { status = 200, body } = Object(await Reflect.apply(route.handle, route, []));
  assert.equal(status, 200);
  assert.deepEqual(body, { status: 'degraded', stores: { redis: 'up', database: 'down' } });
});
