import type { TestContext } from 'node:test';
import { startCloud } from './cloud.ts';
import { startReplicas } from './replicas.ts';

type Settings = Readonly<Record<string, string>>;

/** Starts a cloud gateway on each kind of store and returns two of its addresses, which are the same where there is one process. */
export const gatewaysOnStores: Readonly<
  Record<string, (t: TestContext, settings: Settings) => Promise<readonly [string, string]>>
> = {
  'the embedded store': async (t, settings) => {
    const { url } = await startCloud(t, settings);
    return [url, url];
  },
  'PostgreSQL and Redis, with replicas': async (t, settings) => {
    const [one, other] = await startReplicas(t, settings);
    return [one.url, other.url];
  },
};
