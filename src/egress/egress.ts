import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector, Pool } from 'undici';
import type { EgressFetch } from '../kernel/ports/fetch.ts';
import type { OpenSocket } from '../lib/late-socket.ts';
import { createFetch } from './create-fetch.ts';
import { type Destination, Destinations, portOf } from './destinations.ts';
import { EgressError } from './egress-error.ts';
import { Endpoint } from './endpoint.ts';
import { limits } from './limits.ts';
import { isLoopback, type Proxies } from './proxies.ts';
import { isPublicAddress } from './public-address.ts';
import { noPublicAddressError, ownPublicLookup, privateAddressError, publicLookup } from './public-lookup.ts';
import { watchSocket } from './sent-callbacks.ts';
import { openTunnel, type TunnelTarget } from './tunnel.ts';

/** The addresses that a host may have. */
export type Reach = 'public' | 'any';

export interface Refusal {
  readonly purpose: string;
  readonly host: string;
  readonly port: number;
  readonly error: EgressError;
}

export interface EgressParts {
  /** Whether a reach of `public` is enforced: in cloud mode. */
  readonly isPublicOnly: boolean;
  /** Whether connections for a provider, or for anything else, are made; by default all are. */
  mayConnect?(provider: string | undefined): boolean;
  /** Called with the first refusal of each destination. */
  onRefusal?(refusal: Refusal): void;
  /** The DNS lookup. */
  readonly lookup?: LookupFunction;
  /** Opens connections if this process may not. */
  readonly openSocket?: OpenSocket | undefined;
  /** Undefined if all connections are direct. */
  readonly proxies?: Proxies | undefined;
  /** Authorities and client certificates of providers. */
  readonly certificates?: ReadonlyMap<string, Certificates>;
}

/** Texts in PEM. */
export interface Certificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface EndpointOptions {
  readonly purpose: string;
  readonly url: string;
  readonly reach: Reach;
  /** Timeout of a server that sends nothing. */
  readonly silenceMs: number;
  /** Until the response begins; the same by default. */
  readonly answerMs?: number | undefined;
  readonly connectMs?: number | undefined;
  /** The provider, which may have a proxy and certificates of its own. */
  readonly provider?: string;
  /** Set for an address that an account has chosen. */
  readonly isOwn?: boolean;
}

interface ConnectorOptions {
  readonly isOwn?: boolean;
  readonly isListed?: boolean;
  readonly provider?: string | undefined;
  readonly connectMs?: number | undefined;
  readonly allowH2?: boolean;
}

interface FetchOptions {
  readonly purpose: string;
  /** Undefined if connections to this origin are not allowed. */
  reachOf(origin: string): Reach | undefined;
  /** Headers of every request that doesn't set them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set for addresses that accounts choose. */
  readonly isOwn?: boolean;
  /** Set for addresses that the operator has listed for this purpose: an airgapped gateway connects to them, too. */
  readonly isListed?: boolean;
  /** Timeout of a server that sends nothing, for callers that have one of their own. */
  readonly silenceMs?: number;
}

interface SocketOptions {
  readonly purpose: string;
  readonly host: string;
  readonly port: number;
  readonly reach: Reach;
}

/** All outbound connections of a gateway: it knows, counts and limits where they go. */
export class Egress {
  readonly #parts: EgressParts;
  readonly #lookup: LookupFunction;
  readonly #destinations = new Destinations();
  readonly #endpoints = new Set<Endpoint>();
  readonly #agents: Agent[] = [];

  constructor(parts: EgressParts) {
    this.#parts = parts;
    this.#lookup = parts.lookup ?? dnsLookup;
  }

  /** Every destination that was set or used. */
  destinations(): readonly Destination[] {
    return this.#destinations.list();
  }

  /** Lists a store, whose client connects by itself. */
  addStore(purpose: 'database' | 'redis', url: string): void {
    this.#destinations.addStore(purpose, url);
  }

  /** Opens a pool of connections to one address. */
  openEndpoint(options: EndpointOptions): Endpoint {
    const { purpose, url, reach, silenceMs, answerMs = silenceMs, connectMs, provider, isOwn } = options;
    const address = new URL(url);
    const connection = { provider, connectMs, ...(isOwn === true && { isOwn }) };
    const pool = new Pool(address.origin, {
      connect: this.#createConnector(purpose, reach, connection),
      headersTimeout: answerMs,
      bodyTimeout: silenceMs,
      keepAliveTimeout: limits.keepAliveMs,
    });
    const tally =
      isOwn === true
        ? this.#destinations.tally(purpose, ownHost, 0)
        : this.#destinations.tally(purpose, address.hostname, portOf(address));
    const connect = this.#createConnector(purpose, reach, { ...connection, allowH2: false });
    const endpoint = new Endpoint({ pool, address, tally, silenceMs, connect });
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  /** Responses in flight still complete. */
  closeEndpoint(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
    endpoint.close().catch(() => undefined);
  }

  /** A `fetch` for one purpose. Its connections are opened on demand. */
  openFetch(options: FetchOptions): EgressFetch {
    const { purpose, reachOf, headers, isOwn = false, isListed = false } = options;
    const { silenceMs = limits.fetchSilenceMs } = options;
    const agent = new Agent({
      factory: (origin, poolOptions) => {
        const { origin: name } = new URL(origin);
        return new Pool(name, {
          ...poolOptions,
          connect: this.#createConnector(purpose, reachOf(name) ?? 'public', { isOwn, isListed }),
        });
      },
      connections: limits.fetchConnectionsMax,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    });
    this.#agents.push(agent);
    return createFetch({
      dispatcher: agent,
      headers,
      admit: (url) => {
        if (!isListed && !this.#mayConnect(undefined))
          throw this.refuse(purpose, url.href, airgapError(purpose, url.host));
        if (reachOf(url.origin) === undefined)
          throw this.refuse(purpose, url.href, notAllowedError(purpose, url));
        const tally = isOwn
          ? this.#destinations.tally(purpose, ownHost, 0)
          : this.#destinations.tally(purpose, url.hostname, portOf(url));
        tally.requests++;
      },
    });
  }

  /** A TCP connection, never through a proxy. */
  connect({ purpose, host, port, reach }: SocketOptions): Promise<Socket> {
    const connect = this.#createConnector(purpose, reach);
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    connect({ hostname: host, protocol: 'tcp:', port: String(port) }, (...[error, socket]) =>
      socket === null ? reject(error) : resolve(socket),
    );
    return promise;
  }

  /** Counts and reports a refusal; the caller throws the error. */
  refuse(purpose: string, url: string, error: EgressError): EgressError {
    const address = new URL(url);
    this.#countRefusal({ purpose, host: address.hostname, port: portOf(address), error });
    return error;
  }

  /** Counts and reports what the permission model of Node.js denied. */
  countDenial(scope: string, resource: string): void {
    const what = resource === '' ? '' : ` (${resource})`;
    const why = `WEIR_AIRGAP is on: Node.js denied code in this process the permission "${scope}"${what}`;
    const error = new EgressError('EGRESS_AIRGAP', why);
    this.#countRefusal({ purpose: `denied:${scope}`, host: resource, port: 0, error });
  }

  /** Ends every connection, including open responses. */
  async close(): Promise<void> {
    await Promise.all([...this.#endpoints, ...this.#agents].map((open) => open.destroy()));
  }

  #createConnector(
    purpose: string,
    reach: Reach,
    {
      provider,
      connectMs = limits.connectTimeoutMs,
      allowH2,
      isOwn = false,
      isListed = false,
    }: ConnectorOptions = {},
  ): buildConnector.connector {
    const isPublicOnly = this.#parts.isPublicOnly && reach === 'public';
    const publicFor = isOwn ? ownPublicLookup : publicLookup;
    const privateError = isOwn ? noPublicAddressError : privateAddressError;
    const connect = buildConnector({
      ...(allowH2 !== undefined && { allowH2 }),
      timeout: connectMs,
      lookup: isPublicOnly ? publicFor(this.#lookup) : this.#lookup,
      ...(provider !== undefined && tlsOptions(this.#parts.certificates?.get(provider))),
    });
    return (options, callback) => {
      const { hostname: host } = options;
      const port = portOf(options);
      const tally = () =>
        isOwn ? this.#destinations.tally(purpose, ownHost, 0) : this.#destinations.tally(purpose, host, port);
      const fail = (error: Error) => {
        if (!(error instanceof EgressError)) tally().failures++;
        else if (isOwn) tally().refused++;
        else this.#countRefusal({ purpose, host, port, error });
        callback(error, null);
      };
      if (!isListed && !this.#mayConnect(provider)) return fail(airgapError(purpose, host));
      // Nothing is looked up for a number.
      if (isPublicOnly && isIP(host) !== 0 && !isPublicAddress(host)) return fail(privateError(host));
      const finish: buildConnector.Callback = (...[error, socket]) => {
        if (socket === null || error !== null) return fail(error ?? new Error('there is no connection'));
        tally().connections++;
        callback(null, watchSocket(socket));
      };
      const proxy = this.#parts.proxies?.proxyFor({ provider, protocol: options.protocol, host, port });
      const { openSocket } = this.#parts;
      const use = (socket: Socket) => {
        if (options.protocol === 'https:') connect({ ...options, httpSocket: socket }, finish);
        else finish(null, socket);
      };
      if (proxy === undefined) {
        if (openSocket === undefined) return connect(options, finish);
        openSocket({ host: host.replace(/^\[|\]$/g, ''), port }).then(use, fail);
        return;
      }
      // The proxy looks names up: these are private in every network.
      if (isPublicOnly && isLoopback(host)) return fail(privateError(host));
      // What the proxy finds under a name that an account has chosen could be private.
      const found = isPublicOnly && isOwn ? this.#publicAddressOf(host) : Promise.resolve(host);
      found.then((address) => this.#openTunnel(proxy, { host: address, port, connectMs })).then(use, fail);
    };
  }

  #mayConnect(provider: string | undefined): boolean {
    return this.#parts.mayConnect?.(provider) ?? true;
  }

  async #publicAddressOf(host: string): Promise<string> {
    if (isIP(host) !== 0) return host;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    ownPublicLookup(this.#lookup)(host, { all: false }, (error, address) => {
      if (error !== null) reject(error);
      else resolve(typeof address === 'string' ? address : (address[0]?.address ?? ''));
    });
    return promise;
  }

  async #openTunnel(proxy: URL, target: TunnelTarget): Promise<Socket> {
    const tally = this.#destinations.tally('proxy', proxy.hostname, portOf(proxy));
    try {
      const socket = await openTunnel(proxy, target, this.#parts.openSocket);
      tally.connections++;
      return socket;
    } catch (error) {
      tally.failures++;
      throw error;
    }
  }

  #countRefusal(refusal: Refusal): void {
    const tally = this.#destinations.tally(refusal.purpose, refusal.host, refusal.port);
    tally.refused++;
    if (tally.refused === 1) this.#parts.onRefusal?.(refusal);
  }
}

/** Accounts choose the addresses of their providers: these count as one destination. */
const ownHost = 'of accounts';

/** Own authorities come in addition to those of Node.js. */
function tlsOptions({ ca, ...own }: Certificates = {}) {
  return { ...own, ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }) };
}

function airgapError(purpose: string, host: string): EgressError {
  return new EgressError(
    'EGRESS_AIRGAP',
    `WEIR_AIRGAP is on: no connection to ${host} is made for ${purpose}`,
  );
}

function notAllowedError(purpose: string, { origin }: URL): EgressError {
  const hint = purpose.startsWith('module:') ? '; the operator can add it to WEIR_EGRESS_ALLOW' : '';
  return new EgressError(
    'EGRESS_NOT_ALLOWED',
    `connections to ${origin} are not allowed for ${purpose}${hint}`,
  );
}
