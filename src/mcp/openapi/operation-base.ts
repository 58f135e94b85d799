import { GatewayError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { expandServer, serversIn } from './base-url.ts';
import { OperationFault } from './operation-fault.ts';
import type { Operation } from './operations.ts';

/** The address that the path of an operation is appended to: its own server only if that has the origin of the API. */
export function operationBase({ servers }: Operation, baseUrl: URL): URL {
  const own = serversIn(servers).map((server) => serverUrl(server, baseUrl));
  if (own.length === 0) return baseUrl;
  const same = own.find((url) => url?.origin === baseUrl.origin);
  if (same == null) throw new OperationFault(`it is on another server (${own[0]?.origin ?? 'unknown'})`);
  return same;
}

/** Servers of the document with another origin than the API. */
export function ignoredServers(document: JsonObject, baseUrl: URL): readonly string[] {
  return serversIn(document)
    .filter((server) => serverUrl(server, baseUrl)?.origin !== baseUrl.origin)
    .map(({ url }) => String(url).slice(0, 200));
}

function serverUrl(server: JsonObject, baseUrl: URL): URL | null {
  try {
    return URL.parse(expandServer(server), baseUrl);
  } catch (error) {
    if (GatewayError.is(error)) return null;
    throw error;
  }
}
