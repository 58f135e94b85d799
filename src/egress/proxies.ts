import { isIP } from 'node:net';
import { portOf } from './destinations.ts';

/** A connection to be made. */
export interface Target {
  /** Undefined if it is no connection to a provider. */
  readonly provider: string | undefined;
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
}

export interface ProxySettings {
  /** By the protocol of the target. */
  readonly https: URL | undefined;
  readonly http: URL | undefined;
  /** Hosts that are connected to directly. */
  readonly noProxy: readonly string[];
  /** For single providers; undefined for a direct connection. */
  readonly byProvider: ReadonlyMap<string, URL | undefined>;
}

/** Whether a connection goes through a proxy, by the variables that other programs read, too. */
export class Proxies {
  readonly #settings: ProxySettings;

  constructor(settings: ProxySettings) {
    this.#settings = settings;
  }

  /** Undefined for a direct connection. */
  proxyFor({ provider, protocol, host, port }: Target): URL | undefined {
    const { https, http, noProxy, byProvider } = this.#settings;
    if (provider !== undefined && byProvider.has(provider)) return byProvider.get(provider);
    const proxy = { 'https:': https, 'http:': http }[protocol];
    if (proxy === undefined || isLoopback(host)) return undefined;
    return noProxy.some((rule) => matches(rule, host.toLowerCase(), port)) ? undefined : proxy;
  }

  /** All proxies, each once. */
  list(): readonly URL[] {
    const { https, http, byProvider } = this.#settings;
    const all = [https, http, ...byProvider.values()].filter((proxy) => proxy !== undefined);
    return [...new Map(all.map((proxy) => [proxy.href, proxy])).values()];
  }
}

/** A model on this machine is not behind a proxy. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    host === '[::1]' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

/** A rule is `*`, a host, or a domain with all its hosts (`example.com`, `.example.com`, `*.example.com`), with or without a port. */
function matches(rule: string, host: string, port: number): boolean {
  if (rule === '*') return true;
  const address = URL.parse(`http://${rule.replace(/^\*?\./, '')}`);
  if (address === null) return false;
  if (rule.endsWith(`:${address.port || 80}`) && portOf(address) !== port) return false;
  return host === address.hostname || host.endsWith(`.${address.hostname}`);
}
