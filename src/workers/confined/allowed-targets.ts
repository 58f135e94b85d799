import { isIP } from 'node:net';
import { AllowList } from '../../egress/allow-list.ts';
import { portOf } from '../../egress/destinations.ts';
import type { Reach } from '../../egress/egress.ts';
import { isPublicAddress } from '../../egress/public-address.ts';
import type { Settings } from '../../gateway/settings.ts';
import { kindOf, type Provider } from '../../kernel/provider.ts';
import type { ConnectionTarget } from '../../lib/late-socket.ts';
import { airgapProviders, configuredProviders } from '../../providers/configured-providers.ts';
import { googleTokenUrl } from '../../providers/google-access-tokens.ts';
import { parseRedisUrl } from '../../storage/redis/redis-address.ts';

/** What a gateway in an airgap connects to: its configured providers, their proxies, the MCP servers of the operator, and its stores. */
export class AllowedTargets {
  readonly #byName = new Map<string, Reach>();
  readonly #siteProviders: readonly Provider[];
  readonly #allowList: AllowList;
  /** Nodes of a cluster and masters behind sentinels are known only later. */
  readonly #hasRedisNodes: boolean;

  constructor(settings: Settings) {
    const { baseUrls, tokenUrl, egressAllow, mcpServers, proxies, stores } = settings;
    const names = airgapProviders(settings);
    const providers = configuredProviders(settings).filter(({ name }) => names.has(name));
    this.#allowList = new AllowList(egressAllow);
    this.#siteProviders = providers.filter(({ sites }) => sites !== undefined);
    for (const { name, baseUrl, answerLocally } of providers)
      if (answerLocally === undefined && !baseUrl.includes('{'))
        this.#addUrl(new URL(baseUrl), baseUrls.has(name) ? 'any' : this.#reachOf(name, baseUrl));
    if (providers.some((provider) => kindOf(provider) === 'vertex'))
      this.#addUrl(
        new URL(tokenUrl ?? googleTokenUrl),
        tokenUrl === undefined ? this.#reachOf('vertex', googleTokenUrl) : 'any',
      );
    for (const origin of mcpServers.origins()) this.#addUrl(new URL(origin), 'any');
    for (const proxy of proxies === undefined ? [] : allProxies(proxies)) this.#addUrl(proxy, 'any');
    const redis = stores && parseRedisUrl(stores.redis);
    for (const endpoint of redis?.endpoints ?? []) this.#byName.set(nameOf(endpoint), 'any');
    this.#hasRedisNodes = redis !== undefined && (redis.sentinel !== undefined || redis.endpoints.length > 1);
    if (stores !== undefined) this.#byName.set(nameOf(databaseTarget(stores.database)), 'any');
  }

  /** Undefined if nothing may be connected to there. */
  reachOf(target: ConnectionTarget): Reach | undefined {
    const listed = this.#byName.get(nameOf(target));
    if (listed !== undefined || 'path' in target) return listed;
    const { host, port } = target;
    if (this.#hasRedisNodes && isIP(host) !== 0 && !isPublicAddress(host)) return 'any';
    if (port !== 443) return undefined;
    const provider = this.#siteProviders.find(({ sites, baseUrl }) =>
      sites?.test(`https://${host}${pathOf(baseUrl)}`),
    );
    return provider && this.#reachOf(provider.name, `https://${host}`);
  }

  #addUrl(url: URL, reach: Reach): void {
    this.#byName.set(nameOf({ host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url) }), reach);
  }

  #reachOf(provider: string, url: string): Reach {
    return this.#allowList.reachOf(provider, new URL(url).origin) ?? 'public';
  }
}

function allProxies(proxies: NonNullable<Settings['proxies']>): readonly URL[] {
  const { https, http, byProvider } = proxies;
  return [https, http, ...byProvider.values()].filter((proxy) => proxy !== undefined);
}

/** The path of a base URL whose host has placeholders. */
function pathOf(baseUrl: string): string {
  const { pathname } = new URL(baseUrl.replaceAll(/\{[^{}]*\}/g, 'x'));
  return pathname === '/' ? '' : pathname;
}

/** As the client of PostgreSQL reads its address. */
function databaseTarget(address: string): ConnectionTarget {
  const url = new URL(address);
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '');
  const port = Number(url.searchParams.get('port') ?? (url.port === '' ? 5432 : url.port));
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host: host || 'localhost', port };
}

function nameOf(target: ConnectionTarget): string {
  return 'path' in target ? target.path : `${target.host.toLowerCase()} ${target.port}`;
}
