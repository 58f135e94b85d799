import { createRequire } from 'node:module';
import type { Dispatcher, Pool as PoolOf } from 'undici';
import { limits } from '../kernel/limits.ts';
import type { Provider } from '../kernel/provider.ts';

/** The whole of undici has a second fetch, caches and mocks. */
const Pool: typeof PoolOf = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js');

/** A provider's address with its connections. */
export interface Endpoint {
  readonly pool: Dispatcher;
  /** What stands before the path of an API. */
  readonly basePath: string;
}

/** The only door to the network: connections go to the addresses it was given and to no others. */
export class Egress {
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(baseUrls: Iterable<string>, silenceMs: number) {
    for (const baseUrl of baseUrls) {
      const { origin, pathname } = new URL(baseUrl);
      const pool = new Pool(origin, {
        connect: { timeout: limits.connectTimeoutMs },
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
        keepAliveTimeout: 30_000,
      });
      this.#endpoints.set(baseUrl, { pool, basePath: pathname.replace(/\/$/, '') });
    }
  }

  to({ baseUrl, name }: Provider): Endpoint {
    const endpoint = this.#endpoints.get(baseUrl);
    if (endpoint === undefined) throw new Error(`${name} is at an address that nobody may connect to`);
    return endpoint;
  }

  /** Ends every connection, open answers included. */
  async close(): Promise<void> {
    await Promise.all([...this.#endpoints.values()].map(({ pool }) => pool.destroy()));
  }
}
