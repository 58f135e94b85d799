import { Readable } from 'node:stream';
import { GatewayError } from '../kernel/errors.ts';
import { credentialsOf, type Exchange, setUsedCredential } from '../kernel/exchange.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import type { Provider } from '../kernel/provider.ts';
import type { EndpointForm, RelayRequest, RelayRoute } from '../kernel/relay.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { readJson, relayAnswer } from '../kernel/reply/relay-answer.ts';
import { Reply } from '../kernel/reply/reply.ts';
import { headerOf } from '../lib/headers.ts';
import type { JsonObject } from '../lib/json.ts';
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

/** Opens an upload with these texts in place of the client's. */
export type OpenUpload = (changes: JsonObject) => Upload;

/** Reads or replaces a successful response of a provider before anybody else does. */
export type ResponseHandler = (
  response: ProviderResponse,
  exchange: Exchange,
  credential: Secret | undefined,
) => Promise<ProviderResponse>;

/** A relay that differs from others of its route. */
export interface RelayVariant {
  readonly openUpload?: OpenUpload | undefined;
  readonly onResponse?: ResponseHandler | undefined;
}

/** Endpoints that the gateway serves itself, by name. They answer in the form of the route. */
type LocalEndpoints = Readonly<Record<string, (body: JsonObject, exchange: Exchange) => Promise<JsonObject>>>;

interface RelayUpstreamParts extends UpstreamParts {
  readonly localEndpoints: LocalEndpoints;
}

/** Creates the last handler of a relay: sends the client's bytes to the endpoint of the provider, and resolves when it answers. */
export function createRelayUpstream({
  egress,
  signing,
  via,
  localEndpoints,
}: RelayUpstreamParts): (variant: RelayVariant) => Upstream {
  const filter = new RequestHeaderFilter();
  return ({ openUpload, onResponse }) =>
    async (exchange, attempt) => {
      const { target, trace, clientRequest, relay } = exchange;
      const { wire } = clientRequest;
      if (relay === undefined) throw new Error('this call is not a relay');
      const { route } = relay;
      const { provider, model } = target;
      const local = provider.answerLocally && localEndpoints[route.endpoint];
      if (local !== undefined)
        return relayAnswer(await local(changedBody(exchange, relay), exchange), exchange);
      const credential = await credentialsOf(exchange).find(target);
      setUsedCredential(exchange, credential);
      const leftAt = performance.now();
      try {
        trace.providerWire = wire.name;
        const form = formFor(provider, relay);
        const headers = requestHeaders(exchange, { wire, via, filter, attempt });
        const upload = openUpload?.({ ...relay.changes, model });
        if (upload?.length !== undefined) headers.push('content-length', String(upload.length));
        const outbound = {
          provider,
          method: route.method,
          modelCall: { wire, model, streamed: clientRequest.streamed },
          path: upstreamPath(route, provider, clientRequest),
          headers,
          body: route.body === 'json' ? jsonBody(exchange, relay, form) : noBytes,
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
          ...(form?.decode === undefined ? handled : decoded(handled, exchange, form.decode)),
          decoder: () => relayDecoder(route, response.framing, contentType),
        });
      } finally {
        trace.providerMs += performance.now() - leftAt;
      }
    };
}

/** The form that a request has to be translated to; undefined if it goes as it is. */
function formFor({ endpointForms }: Provider, { route, fields }: RelayRequest): EndpointForm | undefined {
  const form = endpointForms?.[route.endpoint];
  return form?.encode !== undefined && form.isNeeded?.(fields) !== false ? form : undefined;
}

/** The client's own bytes, with the provider's name of the model, and with what modules changed. */
function jsonBody(exchange: Exchange, relay: RelayRequest, form: EndpointForm | undefined): Uint8Array {
  const { clientRequest, target } = exchange;
  if (form?.encode !== undefined)
    return Buffer.from(JSON.stringify(form.encode(changedBody(exchange, relay))));
  const isNamed = clientRequest.routing.model === target.model || !clientRequest.fields.has('model');
  if (isNamed && relay.changes === undefined) return clientRequest.bytes;
  return patchJson(clientRequest.fields, { ...relay.changes, ...(!isNamed && { model: target.model }) });
}

function changedBody({ clientRequest, target }: Exchange, { changes }: RelayRequest): JsonObject {
  return { ...clientRequest.body, ...changes, model: target.model };
}

/** The response with its answer in the form of the route, read whole when it is first asked for. */
function decoded(
  response: ProviderResponse,
  exchange: Exchange,
  decode: NonNullable<EndpointForm['decode']>,
): ProviderResponse {
  const { clientRequest, relay } = exchange;
  let isRead = false;
  return {
    ...response,
    body: {
      async next() {
        if (isRead || relay === undefined) return undefined;
        isRead = true;
        const answer = await readJson(response.body, clientRequest);
        return Buffer.from(JSON.stringify(decode(answer, changedBody(exchange, relay))));
      },
      cancel: () => response.body.cancel(),
    },
  };
}

/** The provider's path of the endpoint, the rest of the client's path, and its query. */
function upstreamPath(
  { endpoint, path: pattern, providerPath, queryFor }: RelayRoute,
  { endpoints }: Provider,
  { path, query: asked }: Exchange['clientRequest'],
): string {
  const query = queryFor?.(asked) ?? asked;
  if (providerPath !== undefined) return providerPath + query;
  const base = endpoints?.[endpoint] ?? '';
  const wildcard = pattern.indexOf('*');
  if (wildcard < 0) return base + query;
  const rest = path.slice(wildcard);
  // A segment such as `..` would lead to another endpoint of the provider.
  if (!isPlainPath(rest))
    throw new GatewayError('invalid_request', 'the path has a segment that is no name or id');
  return `${base}/${rest}${query}`;
}

/** Whether a path consists of names and ids. */
export function isPlainPath(path: string): boolean {
  return path.split('/').every((segment) => pathSegment.test(segment));
}

const pathSegment = /^(?!\.{1,2}$)[\w.:@~-]+$/;
const noBytes = new Uint8Array();
