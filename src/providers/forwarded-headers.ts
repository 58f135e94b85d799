import type { IncomingHttpHeaders } from 'node:http';
import { type HeaderList, headerValuesOf } from '../lib/headers.ts';
import { limits } from './limits.ts';
import { isWithheldHeader } from './withheld-headers.ts';

/** Selects the client headers that are forwarded to a provider, unchanged. */
export class RequestHeaderFilter {
  /** Cached, since clients send the same few names repeatedly. */
  readonly #decisions = new Map<string, boolean>();

  filter(headers: HeaderList): string[] {
    const named = headerValuesOf(headers, 'connection');
    const connection = parseConnectionHeader(named.length > 1 ? named.join(',') : named[0] || undefined);
    const forwarded: string[] = [];
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const name = headers[at] ?? '';
      if (!this.#isForwarded(name) || connection?.has(name.toLowerCase()) === true) continue;
      forwarded.push(name, headers[at + 1] ?? '');
    }
    return forwarded;
  }

  #isForwarded(name: string): boolean {
    const known = this.#decisions.get(name);
    if (known !== undefined) return known;
    const passes = !isWithheldHeader(name.toLowerCase());
    if (this.#decisions.size < limits.headerNamesMax) this.#decisions.set(name, passes);
    return passes;
  }
}

/** Header names that `connection` marks as hop-by-hop. */
function parseConnectionHeader(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

const withheldResponseHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'date',
  'server',
  'via',
  'set-cookie',
  'alt-svc',
  'strict-transport-security',
  'content-security-policy',
  'nel',
  'report-to',
  'x-powered-by',
]);

/** The provider headers that the client may see; `secrets` are the credentials sent to the provider. */
export function filterResponseHeaders(headers: IncomingHttpHeaders, secrets: readonly string[]): string[] {
  const connection = parseConnectionHeader(headers.connection);
  const forwarded: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || withheldResponseHeaders.has(name) || connection?.has(name) === true) continue;
    if (name.startsWith('access-control-') || name.startsWith('x-weir-')) continue;
    // Our own header has this name; the provider's gets another.
    const outName = name === 'x-request-id' ? 'x-upstream-request-id' : name;
    if (typeof value !== 'string') {
      for (const one of value) if (!containsSecret(one, secrets)) forwarded.push(outName, one);
    } else if (!containsSecret(value, secrets)) forwarded.push(outName, value);
  }
  return forwarded;
}

function containsSecret(value: string, secrets: readonly string[]): boolean {
  for (const secret of secrets) if (value.includes(secret)) return true;
  return false;
}
