import type { HeaderList } from '../kernel/headers.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';

/** What must not travel on: meant for one connection, for this gateway, or telling who somebody is. */
const requestOnlyHere = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'x-provider-key',
  'cookie',
  'proxy-authorization',
  'proxy-connection',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'content-encoding',
  'accept-encoding',
  'via',
  'forwarded',
  'x-real-ip',
  'client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'origin',
  'referer',
  'x-client-cert',
  'x-ssl-client-cert',
  'x-amzn-oidc-identity',
  'x-amzn-oidc-data',
  'x-amzn-oidc-accesstoken',
  'x-goog-iap-jwt-assertion',
  'x-goog-authenticated-user-email',
  'x-goog-authenticated-user-id',
  'cf-access-jwt-assertion',
  'cf-access-authenticated-user-email',
  'x-ms-client-principal',
  'x-ms-token-aad-access-token',
]);

const requestPrefixesHere = [
  'x-weir-',
  'x-forwarded-',
  'x-auth-request-',
  'x-remote-',
  'sec-fetch-',
  'sec-ch-',
  'cf-',
];

/** The client's headers that a provider may see, as they came. */
export class RequestHeaderFilter {
  /** Clients send the same few names again and again. */
  readonly #decided = new Lru<boolean>(limits.headerNamesMax);

  forwarded(headers: HeaderList): string[] {
    const connection = connectionNames(headers);
    const kept: string[] = [];
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const name = headers[at] ?? '';
      if (!this.#mayPass(name) || connection?.has(name.toLowerCase()) === true) continue;
      kept.push(name, headers[at + 1] ?? '');
    }
    return kept;
  }

  #mayPass(name: string): boolean {
    const known = this.#decided.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const passes =
      !requestOnlyHere.has(lower) && !requestPrefixesHere.some((prefix) => lower.startsWith(prefix));
    this.#decided.set(name, passes);
    return passes;
  }
}

/** Names that `connection` headers mark as meant for this hop only. */
function connectionNames(headers: HeaderList): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]?.length !== 10 || headers[at]?.toLowerCase() !== 'connection') continue;
    const value = headers[at + 1] ?? '';
    if (value === 'keep-alive' || value === 'close') continue;
    names ??= new Set();
    for (const name of value.split(',')) names.add(name.trim().toLowerCase());
  }
  return names;
}

const answerOnlyThere = new Set([
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

/** A provider's headers that the client may see; `secret` is what was sent to it as a credential. */
export function forwardedAnswerHeaders(headers: HeaderList, secret: string | undefined): HeaderList {
  const connection = connectionNames(headers);
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (answerOnlyThere.has(name) || name.startsWith('access-control-') || name.startsWith('x-weir-'))
      continue;
    if (connection?.has(name) === true) continue;
    if (secret !== undefined && value.includes(secret)) continue;
    // Ours has that name; the provider's is kept beside it.
    kept.push(name === 'x-request-id' ? 'x-upstream-request-id' : name, value);
  }
  return kept;
}
