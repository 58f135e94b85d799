import type { HttpRequest } from '../http/request.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type HeaderList, headerValuesOf } from '../kernel/headers.ts';
import { limits } from '../kernel/limits.ts';
import { isApiPath } from './api-paths.ts';
import type { RequestTarget } from './request-target.ts';

export interface RequestGuardRules {
  /** Host names that are answered, without port; undefined answers to any. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly hostNames: HostNameCache;
  /** Origins whose pages may call. */
  readonly origins: ReadonlySet<string>;
  /** Whether pages of other origins are turned away. */
  readonly rejectsCrossSite: boolean;
  /** What our own `via` header says. */
  readonly via: string;
}

export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Probes come from orchestrators, which use whatever name they like. */
const anyHostPaths = new Set(['/health', '/ready']);

/** Turns away what must not reach a route: other names, other sites' pages, our own requests come back. */
export function guardRequest(req: HttpRequest, target: RequestTarget, rules: RequestGuardRules): void {
  checkHost(req, target, rules);
  // Routes would be looked up without what follows it, and guards are asked with it.
  if (target.path.includes('#'))
    throw new GatewayError('invalid_request', 'a path has no "#" in it; write %23');
  if (rules.rejectsCrossSite && isCrossSite(req, rules.origins) && !isPageNavigation(req, target.path))
    throw new GatewayError(
      'cross_site',
      'pages of this origin may not call the gateway; WEIR_CORS_ORIGINS lists those that may',
    );
  if (req.header('via')?.includes(rules.via) === true)
    throw new GatewayError(
      'loop_detected',
      'this request came through this gateway before: an upstream address points back at it',
    );
}

/** A Host that two programs could read in two ways is refused, whoever is answered. */
function checkHost(req: HttpRequest, { path, authority }: RequestTarget, rules: RequestGuardRules) {
  const { hosts: ours, hostNames } = rules;
  const given = headerValuesOf(req.headers, 'host');
  const name = hostNames.of(given[0] ?? '');
  if (given.length > 1) throw new GatewayError('invalid_request', 'there are two Host headers; send one');
  if (given.length === 0 && !req.isHttp10)
    throw new GatewayError('invalid_request', 'there is no Host header; HTTP/1.1 requires one');
  const named = authority === undefined ? undefined : hostNames.of(authority);
  if (ours === undefined) return;
  const isForUs = named === undefined || isOwnHost(named, ours);
  if (isForUs && (anyHostPaths.has(path) || isOwnHost(name, ours))) return;
  throw new GatewayError(
    'wrong_host',
    `this gateway does not answer to that Host; add the name to WEIR_ALLOWED_HOSTS`,
  );
}

/** All of 127.0.0.0/8 is this machine, and a number can't be bound anew as a name can. */
function isOwnHost(name: string, hosts: ReadonlySet<string>): boolean {
  return hosts.has(name) || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Names in `Host` headers; clients send the same few again and again. */
export class HostNameCache {
  readonly #cache = new Map<string, string>();
  #latest = { host: '', name: '' };

  of(host: string): string {
    if (host !== this.#latest.host) this.#latest = { host, name: this.#lookUp(host) };
    return this.#latest.name;
  }

  #lookUp(host: string): string {
    const known = this.#cache.get(host);
    if (known !== undefined) return known;
    const name = parseHostName(host);
    if (this.#cache.size < limits.headerNamesMax) this.#cache.set(host, name);
    return name;
  }
}

const hostAndPort = /^(|\[[\da-f:.]+\]|[\w.-]+)(:\d{0,5})?$/;

function parseHostName(host: string): string {
  const name = hostAndPort.exec(host.toLowerCase())?.[1];
  if (name === undefined)
    throw new GatewayError('invalid_request', 'the Host must be a name or an address, perhaps with a port');
  return name;
}

function isCrossSite(req: HttpRequest, allowed: ReadonlySet<string>): boolean {
  const origin = req.header('origin');
  if (origin !== undefined)
    return (
      !allowed.has(origin.toLowerCase()) && URL.parse(origin)?.host !== req.header('host')?.toLowerCase()
    );
  const site = req.header('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** Who follows a link leaves the other site: nobody there sees what is answered. What programs call stays closed to it. */
function isPageNavigation(req: HttpRequest, path: string): boolean {
  return (
    req.method === 'GET' &&
    req.header('origin') === undefined &&
    req.header('sec-fetch-mode') === 'navigate' &&
    req.header('sec-fetch-dest') === 'document' &&
    !isApiPath(path)
  );
}

/** What a page of an allowed origin needs to read the answer. */
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

/** By name for pages that send cookies, to whom the star at the end says nothing; to all others it shows what providers and modules tell as well. */
const exposedHeaders =
  'x-request-id, request-id, retry-after, x-should-retry, x-weir-modules, x-weir-conversation, x-weir-cache, x-weir-cost-usd, x-weir-cost-warning, x-weir-overhead-ms, x-weir-estimate, x-weir-dropped, x-weir-receipt, x-weir-sandbox, x-weir-warnings, www-authenticate, payment-receipt, idempotent-replayed, *';

/** The answer to a browser that asks before it calls. */
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
