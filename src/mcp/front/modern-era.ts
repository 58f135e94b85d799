import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { CatalogView } from '../catalog/catalog-view.ts';
import type { ListName } from '../upstream/server-connection.ts';
import type { EndpointAnswer, EndpointRequest, Run } from './endpoint.ts';
import { EventStream, streamHeaders } from './event-stream.ts';
import { forwardNotification } from './forward-notification.ts';
import { type Message, metaOf, type RequestMessage, resultText } from './json-rpc.ts';
import { limits } from './limits.ts';
import { isViewMethod, type Methods, unknownMethod } from './methods.ts';
import { checkModernRequest, metaKeys, modernVersion } from './modern-request.ts';
import { codes, ProtocolError } from './protocol-error.ts';
import type { StreamCounts } from './stream-counts.ts';

export interface EraParts {
  readonly methods: Methods;
  readonly serverInfo: JsonObject;
  /** Streams of changes. */
  readonly streams: StreamCounts;
  /** Aborted when the process shuts down. */
  readonly leaving: AbortSignal;
  respond(request: EndpointRequest, message: RequestMessage, run: Run): Promise<EndpointAnswer>;
}

export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
} as const;

/** Revision 2026-07-28: each request stands alone. */
export class ModernEra {
  readonly #parts: EraParts;

  constructor(parts: EraParts) {
    this.#parts = parts;
  }

  async take(request: EndpointRequest, message: Message, view: CatalogView): Promise<EndpointAnswer> {
    const { methods, respond } = this.#parts;
    // Notifications of clients say nothing that a request without a session could be found by.
    if (message.kind !== 'request') return { status: 202 };
    const clientCapabilities = checkModernRequest(message, request.headers);
    const { method, params } = message;
    if (method === 'server/discover')
      return respond(request, message, () => this.#discover(view, request.signal));
    if (method === 'subscriptions/listen') return this.#listen(request, message, view);
    if (!isViewMethod(method)) throw unknownMethod(method);
    const { accountId, keyId } = request.caller;
    const { progressToken, [metaKeys.logLevel]: logLevel } = metaOf(params);
    return respond(request, message, (stream) =>
      methods.run({
        view,
        message,
        owner: { accountId, keyId },
        capabilities: clientCapabilities,
        logLevel,
        signal: request.signal,
        headers: request.headers,
        onNotification: forwardNotification(stream, { progressToken, logLevel }),
      }),
    );
  }

  async #discover(view: CatalogView, signal: AbortSignal): Promise<string> {
    const only = await view.describe({ signal });
    return JSON.stringify(
      this.#parts.methods.modernResult({
        supportedVersions: [modernVersion],
        capabilities,
        ...(only?.instructions !== undefined && { instructions: only.instructions }),
        ttlMs: limits.discoveryMs,
        cacheScope: 'private',
      }),
    );
  }

  /** A stream of changes. It ends with a result if the gateway ends it, and without one if the connection breaks. */
  #listen(request: EndpointRequest, { id, params }: RequestMessage, view: CatalogView): EndpointAnswer {
    const { streams, leaving, methods } = this.#parts;
    const wanted = wantedChanges(params.notifications);
    const done = streams.count(request.caller.accountId);
    const stream = new EventStream(request.signal);
    const signal = AbortSignal.any([request.signal, leaving]);
    const subscription = { [metaKeys.subscription]: id };
    const send = (method: unknown, fields: JsonObject) => {
      const meta = { ...(isJsonObject(fields._meta) && fields._meta), ...subscription };
      stream.send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...fields, _meta: meta } }));
    };
    send('notifications/subscriptions/acknowledged', { notifications: wanted.acknowledged });
    const listening = {
      lists: wanted.lists,
      resources: wanted.resources,
      signal,
      onNotification: ({ method, params: fields }: JsonObject) =>
        send(method, isJsonObject(fields) ? fields : {}),
    };
    const isEmpty = wanted.lists.length + wanted.resources.length === 0;
    const listened = isEmpty ? Promise.resolve() : view.listen(listening);
    void listened
      .catch(() => undefined)
      .then(() => {
        stream.send(resultText(id, JSON.stringify(methods.modernResult({ _meta: subscription }))));
        stream.end();
        done();
      });
    return { status: 200, headers: streamHeaders, contentType: 'text/event-stream', stream: stream.chunks() };
  }
}

const listFields = {
  toolsListChanged: ['tools'],
  promptsListChanged: ['prompts'],
  resourcesListChanged: ['resources', 'resourceTemplates'],
} as const satisfies Record<string, readonly ListName[]>;

function wantedChanges(filter: unknown) {
  if (!isJsonObject(filter)) throw invalidFilter('params.notifications must be an object');
  const names = Object.entries(listFields).filter(([field]) => filter[field] === true);
  const { resourceSubscriptions: uris = [] } = filter;
  const resources = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
  if (resources.length > limits.subscriptionsMax)
    throw invalidFilter(`a stream follows up to ${limits.subscriptionsMax} resources`);
  return {
    lists: names.flatMap(([, lists]) => lists),
    resources,
    acknowledged: {
      ...Object.fromEntries(names.map(([field]) => [field, true])),
      ...(resources.length > 0 && { resourceSubscriptions: resources }),
    },
  };
}

function invalidFilter(message: string): ProtocolError {
  return new ProtocolError(codes.invalidParams, message, { status: 200 });
}
