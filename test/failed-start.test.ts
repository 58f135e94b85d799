import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startGateway } from '../src/gateway/gateway.ts';
import { type Environment, readSettings } from '../src/gateway/settings.ts';
import { createLog } from '../src/telemetry/log.ts';
import { eventually } from './support/eventually.ts';
import { connectRedisClient } from './support/redis-client.ts';
import { replicaSettings } from './support/replicas.ts';
import { startServer } from './support/server.ts';

test('a gateway that finds its port taken lets go of its stores', async (t) => {
  const taken = await startServer(t, (_, res) => res.end());
  const environment = await environmentOf(t);
  await assert.rejects(start({ ...environment, PORT: new URL(taken).port }), { code: 'EADDRINUSE' });
  await gone(t, environment);
});

test('a gateway with a pipeline that can not run lets go of its stores', async (t) => {
  const environment = await environmentOf(t);
  await assert.rejects(start({ ...environment, WEIR_PIPELINE: 'no-such-module' }), /no-such-module/);
  await gone(t, environment);
});

async function environmentOf(t: TestContext): Promise<Environment> {
  return replicaSettings(t, { WEIR_MODE: 'cloud', PORT: '0' });
}

function start(environment: Environment) {
  return startGateway(readSettings(environment), createLog('silent', { write: () => undefined }));
}

/** Resolves when this test alone is connected to its database of Redis. */
async function gone(t: TestContext, { REDIS_URL = '' }: Environment): Promise<void> {
  const redis = await connectRedisClient(REDIS_URL);
  t.after(() => redis.destroy());
  const database = Number(new URL(REDIS_URL).pathname.slice(1));
  const ours = ['the one that emptied it', 'this one'];
  await eventually(async () => {
    const connected = (await redis.clientList()).filter(({ db }) => db === database);
    return connected.length === ours.length ? true : undefined;
  });
}
