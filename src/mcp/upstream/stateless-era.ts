import { ignoreErrors } from '../../lib/ignore-errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { checkResult } from './check-result.ts';
import {
  type ClientIdentity,
  type Era,
  type EraRequestOptions,
  metaNames,
  type RequestNumbers,
  statelessVersion,
} from './era.ts';
import { limits } from './limits.ts';
import { headerText } from './parameter-headers.ts';
import { notification, type OutgoingRequest } from './rpc-message.ts';
import type { ListenOptions, ServerDescription, Subscription } from './server-connection.ts';
import type { ServerMessage, Transport } from './transport.ts';

interface StatelessParts {
  readonly server: string;
  readonly transport: Transport;
  readonly numbers: RequestNumbers;
  readonly identity: ClientIdentity;
}

/** Revision 2026-07-28: each request stands alone. */
export class StatelessEra implements Era {
  readonly description: ServerDescription;
  readonly #parts: StatelessParts;

  constructor(parts: StatelessParts, discovered: JsonObject) {
    this.#parts = parts;
    this.description = describeStateless(discovered);
  }

  async request(method: string, params: JsonObject, options: EraRequestOptions): Promise<JsonObject> {
    const { server, transport } = this.#parts;
    const { signal, onNotification } = options;
    const request = statelessRequest(this.#parts, method, params, options);
    const cancel = () => this.#cancel(request.id);
    if (!transport.hasRequestStreams) signal.addEventListener('abort', cancel, { once: true });
    try {
      const { response } = await transport.exchange(request, {
        signal,
        headers: { ...headersOf(request), ...options.parameterHeaders },
        onMessage: (message) => onNotification?.(asJson(message)),
      });
      return checkResult(server, method, response.result);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async listen(
    { lists, resources }: Subscription,
    { signal, onNotification, onOpen }: ListenOptions & { onOpen(): void },
  ): Promise<void> {
    const notifications = {
      ...(lists.includes('tools') && { toolsListChanged: true }),
      ...(lists.includes('prompts') && { promptsListChanged: true }),
      ...(lists.some((list) => list.startsWith('resource')) && { resourcesListChanged: true }),
      ...(resources.length > 0 && { resourceSubscriptions: resources }),
    };
    const request = statelessRequest(this.#parts, 'subscriptions/listen', { notifications }, { signal });
    const { transport } = this.#parts;
    const cancel = () => this.#cancel(request.id);
    if (!transport.hasRequestStreams) signal.addEventListener('abort', cancel, { once: true });
    await transport.exchange(request, {
      signal,
      headers: headersOf(request),
      onMessage: (message) => {
        if (message.method === 'notifications/subscriptions/acknowledged') onOpen();
        else if (message.kind === 'notification') onNotification(asJson(message));
      },
    });
  }

  async close(): Promise<void> {}

  #cancel(requestId: number): void {
    const signal = AbortSignal.timeout(limits.farewellMs);
    ignoreErrors(
      this.#parts.transport.send(notification('notifications/cancelled', { requestId }), { signal }),
    );
  }
}

/** `server/discover`, which every server of this era answers. */
export function discoverRequest(parts: Pick<StatelessParts, 'numbers' | 'identity'>, signal: AbortSignal) {
  const request = statelessRequest(parts, 'server/discover', {}, { signal });
  return { request, headers: headersOf(request) };
}

/** Whether this is what a server of the era answers. */
export function isDiscovered(result: JsonObject): boolean {
  const versions = result.supportedVersions;
  return Array.isArray(versions) && versions.includes(statelessVersion);
}

function statelessRequest(
  { numbers, identity }: Pick<StatelessParts, 'numbers' | 'identity'>,
  method: string,
  params: JsonObject,
  { meta, clientCapabilities, onNotification }: EraRequestOptions,
): OutgoingRequest {
  const id = numbers.next();
  const envelope = {
    ...meta,
    [metaNames.protocolVersion]: statelessVersion,
    [metaNames.clientInfo]: identity,
    [metaNames.clientCapabilities]: clientCapabilities ?? {},
    ...(onNotification !== undefined && { progressToken: id }),
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } };
}

function headersOf({ method, params }: OutgoingRequest): Readonly<Record<string, string>> {
  const name = params[namedBy[method] ?? ''];
  return {
    'mcp-protocol-version': statelessVersion,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  };
}

/** The parameter that `mcp-name` repeats. */
const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

function describeStateless(result: JsonObject): ServerDescription {
  const { capabilities, instructions, _meta: meta, serverInfo: inBody } = result;
  const info = isJsonObject(meta) ? meta[metaNames.serverInfo] : undefined;
  return {
    protocolVersion: statelessVersion,
    era: 'stateless',
    serverInfo: isJsonObject(info) ? info : isJsonObject(inBody) ? inBody : {},
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    ...(typeof instructions === 'string' && { instructions }),
  };
}

export function asJson({ method, params }: ServerMessage): JsonObject {
  return { method, params };
}
