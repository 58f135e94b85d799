import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Provider } from '../kernel/provider.ts';
import { limits } from './limits.ts';

/** A provider's address with its connections. */
export interface Endpoint {
  readonly pool: Dispatcher;
  /** Prefix of the API's paths. */
  readonly basePath: string;
}

/** All outbound connections: only to the given addresses and to provider sites. */
export class Egress {
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoints that depend on the key, least recently used first. */
  readonly #sites = new Map<string, Endpoint>();
  readonly #silenceMs: number;

  constructor(baseUrls: Iterable<string>, silenceMs: number) {
    this.#silenceMs = silenceMs;
    for (const baseUrl of baseUrls) this.#endpoints.set(baseUrl, this.#open(baseUrl));
  }

  /** `baseUrl` if it differs from the provider's default. */
  endpointFor(provider: Provider, baseUrl = provider.baseUrl): Endpoint {
    const endpoint = this.#endpoints.get(baseUrl);
    if (endpoint !== undefined) return endpoint;
    if (provider.sites?.test(baseUrl) === true) return this.#siteEndpoint(baseUrl);
    throw new Error(`connections to this address of ${provider.name} are not allowed`);
  }

  /** One of the addresses from the constructor. */
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

  /** Responses in flight still complete. */
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

  /** Ends every connection, including open responses. */
  async close(): Promise<void> {
    const all = [...this.#endpoints.values(), ...this.#sites.values()];
    await Promise.all(all.map(({ pool }) => pool.destroy()));
  }
}

/** Callbacks for bytes that have been sent. */
const sentCallbacks = new WeakMap<Uint8Array, () => void>();

/**
 * Calls back when bytes about to be sent are no longer needed: they are written, or their connection failed. Never calls
 * back for HTTP/2 connections.
 */
export function onSent(bytes: Uint8Array, then: () => void): void {
  sentCallbacks.set(bytes, then);
}

function watchConnector(connect: buildConnector.connector): buildConnector.connector {
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
