import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { buildConnector as buildConnectorOf, Dispatcher, Pool as PoolOf } from 'undici';
import { limits } from '../kernel/limits.ts';
import type { Provider } from '../kernel/provider.ts';

/** The whole of undici has a second fetch, caches and mocks. */
const require = createRequire(import.meta.url);
const Pool: typeof PoolOf = require('undici/lib/dispatcher/pool.js');
const buildConnector: typeof buildConnectorOf = require('undici/lib/core/connect.js');

/** A provider's address with its connections. */
export interface Endpoint {
  readonly pool: Dispatcher;
  /** What stands before the path of an API. */
  readonly basePath: string;
}

/** The only door to the network: connections go to the addresses it was given, to sites of providers, and to no others. */
export class Egress {
  readonly #endpoints = new Map<string, Endpoint>();
  /** Those that depend on who pays, the one that was used last at the end. */
  readonly #sites = new Map<string, Endpoint>();
  readonly #silenceMs: number;

  constructor(baseUrls: Iterable<string>, silenceMs: number) {
    this.#silenceMs = silenceMs;
    for (const baseUrl of baseUrls) this.#endpoints.set(baseUrl, this.#open(baseUrl));
  }

  /** `baseUrl` where it isn't the provider's one and only. */
  endpointFor(provider: Provider, baseUrl = provider.baseUrl): Endpoint {
    const endpoint = this.#endpoints.get(baseUrl);
    if (endpoint !== undefined) return endpoint;
    if (provider.sites?.test(baseUrl) === true) return this.#siteEndpoint(baseUrl);
    throw new Error(`connections to this address of ${provider.name} are not allowed`);
  }

  /** One of the addresses that it was given. */
  endpointAt(baseUrl: string): Endpoint {
    const endpoint = this.#endpoints.get(baseUrl);
    if (endpoint === undefined) throw new Error('connections to this address are not allowed');
    return endpoint;
  }

  #siteEndpoint(baseUrl: string): Endpoint {
    const site = this.#sites.get(baseUrl) ?? this.#open(baseUrl);
    this.#sites.delete(baseUrl);
    this.#sites.set(baseUrl, site);
    if (this.#sites.size > limits.customOriginsMax) this.#closeOldestSite();
    return site;
  }

  /** Answers that are under way there still come. */
  #closeOldestSite(): void {
    const [oldest] = this.#sites;
    if (oldest === undefined) return;
    const [baseUrl, { pool }] = oldest;
    this.#sites.delete(baseUrl);
    pool.close().catch(() => undefined);
  }

  #open(baseUrl: string): Endpoint {
    const { origin, pathname } = new URL(baseUrl);
    const pool = new Pool(origin, {
      connect: watchConnector(buildConnector({ timeout: limits.connectTimeoutMs })),
      headersTimeout: this.#silenceMs,
      bodyTimeout: this.#silenceMs,
      keepAliveTimeout: 30_000,
    });
    return { pool, basePath: pathname.replace(/\/$/, '') };
  }

  /** Ends every connection, open answers included. */
  async close(): Promise<void> {
    const all = [...this.#endpoints.values(), ...this.#sites.values()];
    await Promise.all(all.map(({ pool }) => pool.destroy()));
  }
}

/** Who wants to know when these bytes have left. */
const sentCallbacks = new WeakMap<Uint8Array, () => void>();

/**
 * Says when bytes that are about to be sent are needed no more: written, or given up with their connection. Where they
 * go through a connection of HTTP/2 it is never said.
 */
export function onSent(bytes: Uint8Array, then: () => void): void {
  sentCallbacks.set(bytes, then);
}

function watchConnector(connect: buildConnectorOf.connector): buildConnectorOf.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (socket === null || error !== null) callback(error, null);
      else callback(null, watchSocket(socket));
    });
}

function watchSocket<Connection extends Socket>(socket: Connection): Connection {
  const write = socket.write.bind(socket);
  const watchedWrite = (
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | WriteCallback,
    then?: WriteCallback,
  ): boolean => {
    const left = typeof chunk === 'string' ? undefined : sentCallbacks.get(chunk);
    if (left !== undefined) return write(chunk, left);
    return typeof encoding === 'function' ? write(chunk, encoding) : write(chunk, encoding, then);
  };
  socket.write = watchedWrite;
  return socket;
}

type WriteCallback = (error?: Error | null) => void;
