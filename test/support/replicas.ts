import type { TestContext } from 'node:test';
import type { Environment } from '../../src/gateway/settings.ts';
import type { TestGateway } from '../../src/testing/test-gateway.ts';
import { startCloud } from './cloud.ts';
import { freshRedis, migratedPostgres } from './stores.ts';

/** What replicas of one gateway have in common. */
export async function replicaSettings(t: TestContext, more: Environment = {}): Promise<Environment> {
  return {
    DATABASE_URL: await migratedPostgres(t),
    REDIS_URL: await freshRedis(t),
    WEIR_SECRET: 'a secret that all the replicas of this test have in common',
    WEIR_BASE_URL: 'https://weir.example.com',
    ...more,
  };
}

/** Two gateways on the same stores. */
export async function startReplicas(
  t: TestContext,
  more: Environment = {},
): Promise<readonly [TestGateway, TestGateway]> {
  const open: TestGateway[] = [];
  // What is registered first runs first, and a gateway has things to store before its stores go.
  t.after(() => Promise.all(open.map((gateway) => gateway.close())));
  const environment = await replicaSettings(t, more);
  const starts = [startCloud(t, environment), startCloud(t, environment)] as const;
  for (const start of await Promise.allSettled(starts))
    if (start.status === 'fulfilled') open.push(start.value);
  return Promise.all(starts);
}
