import { GatewayError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { CallMailbox } from './call-mailbox.ts';
import { type ClientIdentity, type Era, type RequestNumbers, sessionVersions } from './era.ts';
import { limits } from './limits.ts';
import { RpcError } from './rpc-error.ts';
import { notification } from './rpc-message.ts';
import { failedError, HttpFailure, quoted, timeoutError } from './server-errors.ts';
import { SessionsEra } from './sessions-era.ts';
import { discoverRequest, isDiscovered, StatelessEra } from './stateless-era.ts';
import type { Transport } from './transport.ts';

export interface NegotiationParts {
  readonly server: string;
  readonly transport: Transport;
  readonly numbers: RequestNumbers;
  readonly identity: ClientIdentity;
  readonly mailbox: CallMailbox | undefined;
  readonly signal: AbortSignal;
  /** How long a server may take for `server/discover`; after that it counts as one with sessions. Undefined if that is an error. */
  readonly probeMs: number | undefined;
}

/** Finds out how a server is spoken to. A server whose era is known is not asked again. */
export async function negotiate(
  parts: NegotiationParts,
  known: Era['description']['era'] | undefined,
): Promise<Era> {
  if (known === 'sessions') return new SessionsEra(parts, await beginSession(parts));
  const discovered = await discover(parts);
  if (discovered !== undefined) return new StatelessEra(parts, discovered);
  return new SessionsEra(parts, await beginSession(parts));
}

/** Undefined for a server with sessions. Errors are those that no server with sessions would answer. */
async function discover(parts: NegotiationParts): Promise<JsonObject | undefined> {
  const { transport, probeMs, signal } = parts;
  const timeout = AbortSignal.timeout(probeMs ?? limits.negotiationMs);
  const either = AbortSignal.any([signal, timeout]);
  const { request, headers } = discoverRequest(parts, either);
  try {
    const { response } = await transport.exchange(request, {
      signal: either,
      headers,
      onMessage: () => undefined,
    });
    return isDiscovered(response.result) ? response.result : undefined;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted) {
      if (probeMs !== undefined) return undefined;
      throw timeoutError(parts.server, 'did not answer server/discover in time');
    }
    // Programs of old revisions may end when the first request is not initialize.
    if (probeMs !== undefined && GatewayError.is(error) && error.code === 'mcp_server_unreachable')
      return undefined;
    if (error instanceof RpcError) return requireKnownVersions(parts.server, error);
    if (error instanceof HttpFailure && error.status !== 401 && error.status !== 403) {
      if (error.rpc !== undefined) requireKnownVersions(parts.server, new RpcError(parts.server, error.rpc));
      return undefined;
    }
    throw error;
  }
}

/** A server that has newer revisions only says which. */
function requireKnownVersions(server: string, { code, data }: RpcError): undefined {
  const supported = code === -32022 && isJsonObject(data) ? data.supported : undefined;
  if (!Array.isArray(supported) || supported.length === 0) return undefined;
  if (supported.some((version) => sessionVersions.includes(version))) return undefined;
  throw failedError(
    server,
    `speaks revisions of MCP that this gateway does not know: ${quoted(supported.join(', '))}`,
  );
}

async function beginSession({ server, transport, numbers, identity, signal }: NegotiationParts) {
  const timeout = AbortSignal.timeout(limits.negotiationMs);
  const params = {
    protocolVersion: sessionVersions[0],
    // What the gateway asks its clients for; a call whose client can't do it says so to the server.
    capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    clientInfo: identity,
  };
  const request = { jsonrpc: '2.0', id: numbers.next(), method: 'initialize', params } as const;
  const options = { signal: AbortSignal.any([signal, timeout]), onMessage: () => undefined };
  const { response, header } = await transport.exchange(request, options).catch((error: unknown) => {
    if (timeout.aborted && !signal.aborted) throw timeoutError(server, 'did not answer initialize in time');
    throw error;
  });
  const { protocolVersion, serverInfo, capabilities, instructions } = response.result;
  if (typeof protocolVersion !== 'string' || !sessionVersions.includes(protocolVersion))
    throw failedError(
      server,
      `chose a revision of MCP that this gateway does not know: ${quoted(String(protocolVersion))}`,
    );
  const sessionId = header('mcp-session-id');
  const headers = {
    ...(protocolVersion >= '2025-06-18' && { 'mcp-protocol-version': protocolVersion }),
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
  };
  await transport.send(notification('notifications/initialized', {}), { ...options, headers });
  return {
    description: {
      protocolVersion,
      era: 'sessions',
      serverInfo: isJsonObject(serverInfo) ? serverInfo : {},
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      ...(typeof instructions === 'string' && { instructions }),
    },
    headers,
  } as const;
}
