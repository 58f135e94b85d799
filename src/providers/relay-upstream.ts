import { Readable } from 'node:stream';
import { GatewayError } from '../kernel/errors.ts';
import { credentialsOf, type Exchange, setUsedCredential } from '../kernel/exchange.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import type { Provider } from '../kernel/provider.ts';
import type { RelayRoute } from '../kernel/relay.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { Reply } from '../kernel/reply/reply.ts';
import { headerOf } from '../lib/headers.ts';
import type { Secret } from '../lib/secret.ts';
import { isJsonType, relayDecoder } from '../wire/index.ts';
import { readErrorResponse } from './error-response.ts';
import { RequestHeaderFilter } from './forwarded-headers.ts';
import { requestHeaders } from './request-headers.ts';
import { send } from './send-request.ts';
import { signRequest, withEgressRecord } from './sign-request.ts';
import type { Upstream, UpstreamParts } from './upstream.ts';

/** A request body that is sent while it arrives. */
export interface Upload {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Undefined if the client did not say. */
  readonly length: number | undefined;
}

/** Reads or replaces a successful response of a provider before anybody else does. */
export type ResponseHandler = (
  response: ProviderResponse,
  exchange: Exchange,
  credential: Secret | undefined,
) => Promise<ProviderResponse>;

/** A relay that differs from others of its route. */
export interface RelayVariant {
  readonly upload?: Upload | undefined;
  readonly onResponse?: ResponseHandler | undefined;
}

/** Creates the last handler of a relay: sends the client's bytes to the endpoint of the provider, and resolves when it answers. */
export function createRelayUpstream({
  egress,
  signing,
  via,
}: UpstreamParts): (variant: RelayVariant) => Upstream {
  const filter = new RequestHeaderFilter();
  return ({ upload, onResponse }) =>
    async (exchange, attempt) => {
      const { target, trace, clientRequest } = exchange;
      const { wire, relay } = clientRequest;
      if (relay === undefined) throw new Error('this call is not a relay');
      const { route } = relay;
      const { provider, model } = target;
      const credential = await credentialsOf(exchange).find(target);
      setUsedCredential(exchange, credential);
      const leftAt = performance.now();
      try {
        trace.providerWire = wire.name;
        const headers = requestHeaders(exchange, { wire, via, filter, attempt });
        if (upload?.length !== undefined) headers.push('content-length', String(upload.length));
        const outbound = {
          provider,
          method: route.method,
          modelCall: { wire, model, streamed: clientRequest.streamed },
          path: upstreamPath(route, provider, clientRequest),
          headers,
          body: route.body === 'json' ? jsonBody(exchange) : noBytes,
        };
        const signed = await signRequest(outbound, credential, withEgressRecord(signing, trace.egress));
        const response = await send(exchange, egress, {
          wire,
          signed,
          progress: attempt,
          relay: {
            method: route.method,
            upload: upload && Readable.from(upload.chunks),
            isDocument: isJsonType,
          },
        });
        if (response.status >= 300) throw await readErrorResponse(response, target, signed);
        const handled = (await onResponse?.(response, exchange, credential)) ?? response;
        const contentType = headerOf(response.headers, 'content-type') ?? '';
        return Reply.relay({
          ...handled,
          decoder: () => relayDecoder(route, response.framing, contentType),
        });
      } finally {
        trace.providerMs += performance.now() - leftAt;
      }
    };
}

/** The client's own bytes, with the provider's name of the model. */
function jsonBody({ clientRequest, target }: Exchange): Uint8Array {
  if (clientRequest.routing.model === target.model || !clientRequest.fields.has('model'))
    return clientRequest.bytes;
  return patchJson(clientRequest.fields, { model: target.model });
}

/** The provider's path of the endpoint, the rest of the client's path, and its query. */
function upstreamPath(
  { endpoint, path: pattern }: RelayRoute,
  { endpoints }: Provider,
  { path, query }: Exchange['clientRequest'],
): string {
  const base = endpoints?.[endpoint] ?? '';
  const wildcard = pattern.indexOf('*');
  if (wildcard < 0) return base + query;
  const rest = path.slice(wildcard);
  // A segment such as `..` would lead to another endpoint of the provider.
  if (!rest.split('/').every((segment) => pathSegment.test(segment)))
    throw new GatewayError('invalid_request', 'the path has a segment that is no name or id');
  return `${base}/${rest}${query}`;
}

const pathSegment = /^(?!\.{1,2}$)[\w.:@~-]+$/;
const noBytes = new Uint8Array();
