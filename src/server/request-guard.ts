import type { HttpRequest } from '../http/request.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type HeaderList, headerValuesOf } from '../lib/headers.ts';
import { limits } from '../providers/limits.ts';
import { isApiPath } from './api-paths.ts';
import type { RequestTarget } from './request-target.ts';

export interface RequestGuardRules {
  /** Accepted host names, without port; undefined accepts any. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly hostNames: HostNameCache;
  /** Origins whose pages may call the gateway. */
  readonly origins: ReadonlySet<string>;
  /** Whether to reject pages of other origins. */
  readonly rejectsCrossSite: boolean;
  /** The value of our own `via` header. */
  readonly via: string;
}

export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Orchestrators probe these under any host name. */
const anyHostPaths = new Set(['/health', '/ready']);

/** Rejects requests for other hosts, from pages of other sites, and loops through this gateway. */
export function guardRequest(req: HttpRequest, target: RequestTarget, rules: RequestGuardRules): void {
  checkHost(req, target, rules);
  // The router ignores a fragment, but guards see it, so they could disagree.
  if (target.path.includes('#'))
    throw new GatewayError('invalid_request', 'the path must not contain "#"; encode it as %23');
  if (rules.rejectsCrossSite && isCrossSite(req, rules.origins) && !isPageNavigation(req, target.path))
    throw new GatewayError(
      'cross_site',
      'pages of this origin may not call the gateway; add the origin to WEIR_CORS_ORIGINS',
    );
  if (req.header('via')?.includes(rules.via) === true)
    throw new GatewayError(
      'loop_detected',
      'loop detected: the base URL of a provider points back at this gateway',
    );
}

/** Rejects an ambiguous Host header, even if every host is accepted. */
function checkHost(req: HttpRequest, { path, authority }: RequestTarget, rules: RequestGuardRules) {
  const { hosts: ours, hostNames } = rules;
  const hosts = headerValuesOf(req.headers, 'host');
  const name = hostNames.of(hosts[0] ?? '');
  if (hosts.length > 1)
    throw new GatewayError('invalid_request', 'the request has several Host headers; send one');
  if (hosts.length === 0 && !req.isHttp10)
    throw new GatewayError('invalid_request', 'missing Host header; HTTP/1.1 requires one');
  const named = authority === undefined ? undefined : hostNames.of(authority);
  if (ours === undefined) return;
  const isForUs = named === undefined || isOwnHost(named, ours);
  if (isForUs && (anyHostPaths.has(path) || isOwnHost(name, ours))) return;
  throw new GatewayError(
    'wrong_host',
    `this gateway does not accept that Host; add the name to WEIR_ALLOWED_HOSTS`,
  );
}

/** All of 127.0.0.0/8 is this machine, and unlike a name an address cannot be rebound. */
function isOwnHost(name: string, hosts: ReadonlySet<string>): boolean {
  return hosts.has(name) || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Parses and caches `Host` headers, since clients send the same few. */
export class HostNameCache {
  readonly #cache = new Map<string, string>();
  #latest = { host: '', name: '' };

  of(host: string): string {
    if (host !== this.#latest.host) this.#latest = { host, name: this.#lookUp(host) };
    return this.#latest.name;
  }

  #lookUp(host: string): string {
    const cached = this.#cache.get(host);
    if (cached !== undefined) return cached;
    const name = parseHostName(host);
    if (this.#cache.size < limits.headerNamesMax) this.#cache.set(host, name);
    return name;
  }
}

const hostAndPort = /^(|\[[\da-f:.]+\]|[\w.-]+)(:\d{0,5})?$/;

function parseHostName(host: string): string {
  const name = hostAndPort.exec(host.toLowerCase())?.[1];
  if (name === undefined)
    throw new GatewayError(
      'invalid_request',
      'invalid Host header; it must be a name or an address, optionally with a port',
    );
  return name;
}

export function isCrossSite(req: Pick<HttpRequest, 'header'>, allowed: ReadonlySet<string>): boolean {
  const origin = req.header('origin');
  if (origin !== undefined)
    return (
      !allowed.has(origin.toLowerCase()) && URL.parse(origin)?.host !== req.header('host')?.toLowerCase()
    );
  const site = req.header('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** Following a link is safe, since the linking site cannot read the response; API paths stay closed. */
function isPageNavigation(req: HttpRequest, path: string): boolean {
  return (
    req.method === 'GET' &&
    req.header('origin') === undefined &&
    req.header('sec-fetch-mode') === 'navigate' &&
    req.header('sec-fetch-dest') === 'document' &&
    !isApiPath(path)
  );
}

/** The CORS headers for a page of an allowed origin. */
export function corsHeaders(req: HttpRequest, allowed: ReadonlySet<string>): HeaderList {
  const origin = req.header('origin');
  if (origin === undefined || !allowed.has(origin.toLowerCase())) return [];
  return [
    'access-control-allow-origin',
    origin,
    'vary',
    'origin',
    'access-control-expose-headers',
    exposedHeaders,
  ];
}

/** Names headers for pages that send cookies, where browsers ignore `*`; for others `*` exposes all headers. */
const exposedHeaders =
  'x-request-id, request-id, retry-after, x-should-retry, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens, x-weir-modules, x-weir-conversation, x-weir-cache, x-weir-cost-usd, x-weir-cost-warning, x-weir-overhead-ms, x-weir-estimate, x-weir-dropped, x-weir-receipt, x-weir-recorded, x-weir-route, x-weir-sandbox, x-weir-warnings, www-authenticate, payment-receipt, idempotent-replayed, *';

/** The response to a CORS preflight. */
export function preflightHeaders(req: HttpRequest): HeaderList {
  return [
    'access-control-allow-methods',
    'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers',
    req.header('access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age',
    '600',
  ];
}
