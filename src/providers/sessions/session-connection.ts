import type { IncomingMessage } from 'node:http';
import type { OutboundWebSocket } from '../../egress/outbound-websocket.ts';
import { RefusedUpgrade, type ServerClosing } from '../../egress/outbound-websocket.ts';
import { credentialsOf, type Exchange, setUsedCredential } from '../../kernel/exchange.ts';
import type { SessionProtocol, SessionSetup } from '../../kernel/session-protocol.ts';
import type { SignedRequest } from '../../kernel/signing.ts';
import { headersByName, withoutHeaders } from '../../lib/headers.ts';
import type { Secret } from '../../lib/secret.ts';
import { readErrorResponse } from '../error-response.ts';
import { filterResponseHeaders, RequestHeaderFilter } from '../forwarded-headers.ts';
import { limits } from '../limits.ts';
import { requestHeaders } from '../request-headers.ts';
import { describeFailure } from '../send-request.ts';
import { signRequest, withEgressRecord } from '../sign-request.ts';
import type { UpstreamParts } from '../upstream.ts';

/** What a session asks of the connection to its provider. */
interface ConnectionWish {
  readonly protocol: SessionProtocol;
  readonly setup: SessionSetup;
  readonly messageBytesMax: number;
  onMessage(message: Buffer, isBinary: boolean): void;
  onClose(closing: ServerClosing): void;
}

/** The WebSocket of a session to its provider. Its messages wait until it is resumed. */
export interface SessionConnection {
  readonly webSocket: OutboundWebSocket;
  readonly credential: Secret | undefined;
  /** What must not reach the client. */
  readonly secrets: readonly string[];
}

/** Opens the connections of sessions. */
export type SessionConnector = (exchange: Exchange, wish: ConnectionWish) => Promise<SessionConnection>;

export function createSessionConnector({
  egress,
  signing,
  via,
}: Pick<UpstreamParts, 'egress' | 'signing' | 'via'>): SessionConnector {
  const filter = new RequestHeaderFilter();
  return async (exchange, { protocol, setup, messageBytesMax, onMessage, onClose }) => {
    const { target, trace, clientRequest } = exchange;
    const { provider, model } = target;
    const { wire, route } = protocol;
    const credential = await credentialsOf(exchange).find(target);
    setUsedCredential(exchange, credential);
    const headers = requestHeaders(exchange, { wire, via, filter });
    const base = provider.endpoints?.[route.endpoint] ?? '';
    const { path, query } = clientRequest;
    const outbound = {
      ...{ provider, method: route.method, modelCall: { wire, model, streamed: true } },
      path: protocol.providerTarget({ base, setup, model, path, query }),
      ...{ headers, body: noBytes },
    };
    const leftAt = performance.now();
    try {
      const signed = await signRequest(outbound, credential, withEgressRecord(signing, trace.egress));
      const endpoint = egress.endpointFor(provider, signed.baseUrl);
      trace.egress?.addRequest(endpoint.host);
      const webSocket = endpoint.openWebSocket(endpoint.basePath + signed.path, {
        headers: withoutHeaders(signed.headers, bodyHeaders),
        ...{ messageBytesMax, pingMs: limits.sessionPingMs, isPaused: true, onMessage },
        onClose: (_, closing) => onClose(closing),
      });
      try {
        await webSocket.opened;
      } catch (failure) {
        throw await describeRefusal(failure, exchange, { protocol, signed });
      }
      return { webSocket, credential, secrets: signed.secrets };
    } finally {
      trace.providerMs += performance.now() - leftAt;
    }
  };
}

interface RefusedRequest {
  readonly protocol: SessionProtocol;
  readonly signed: SignedRequest;
}

/** The provider's own answer where there is one. */
async function describeRefusal(
  failure: unknown,
  exchange: Exchange,
  { protocol: { wire }, signed }: RefusedRequest,
): Promise<Error> {
  if (!(failure instanceof RefusedUpgrade)) return describeFailure(exchange)(failure, false);
  const { response } = failure;
  const { statusCode: status = 500 } = response;
  return readErrorResponse(
    {
      ...{ wire, framing: 'json', status, secrets: signed.secrets, body: sourceOf(response) },
      headers: filterResponseHeaders(headersByName(response.rawHeaders), signed.secrets),
    },
    exchange.target,
    signed,
  );
}

function sourceOf(response: IncomingMessage) {
  const chunks = response[Symbol.asyncIterator]();
  return {
    async next(): Promise<Uint8Array | undefined> {
      const { done, value } = await chunks.next();
      return done === true ? undefined : value;
    },
    cancel: () => void response.destroy(),
  };
}

/** They describe a body, or are those of another WebSocket. */
const bodyHeaders = ['content-type', 'content-length', 'accept', 'accept-encoding'];
const noBytes = new Uint8Array();
