import type { ProviderEgress } from '../../egress/provider-egress.ts';
import type { AttemptProgress } from '../../kernel/attempt.ts';
import type { ClientPresence } from '../../kernel/client-presence.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import { patchJson } from '../../kernel/json/patch-json.ts';
import type { ProviderResponse } from '../../kernel/reply/provider-response.ts';
import { type Source, sourceFromValue } from '../../kernel/reply/source.ts';
import type { SignedRequest } from '../../kernel/signing.ts';
import type { SocketCall, SocketEvent, SocketFormat } from '../../kernel/socket-format.ts';
import type { ProviderFormat } from '../../kernel/wire-format.ts';
import { headersByName } from '../../lib/headers.ts';
import { isTimeout } from '../connection-errors.ts';
import { filterResponseHeaders } from '../forwarded-headers.ts';
import { limits } from '../limits.ts';
import { describeFailure } from '../send-request.ts';
import type { ProviderSocket } from './provider-socket.ts';
import { ProviderSockets } from './provider-sockets.ts';
import type { SocketReply } from './socket-reply.ts';

interface SocketSendParts {
  readonly wire: ProviderFormat;
  readonly signed: SignedRequest;
  readonly progress: AttemptProgress;
}

/** Sends a call to its provider over a WebSocket; resolves to undefined if the call has to be sent over HTTP. */
type SocketSender = (exchange: Exchange, parts: SocketSendParts) => Promise<ProviderResponse | undefined>;

export function createSocketSender(egress: ProviderEgress): SocketSender {
  const socketsOfClients = new WeakMap<ClientPresence, ProviderSockets>();
  const socketsOf = (client: ClientPresence): ProviderSockets => {
    let sockets = socketsOfClients.get(client);
    if (sockets === undefined) {
      sockets = new ProviderSockets(egress);
      socketsOfClients.set(client, sockets);
      client.onLeave(() => sockets?.close());
    }
    return sockets;
  };
  return async (exchange, parts) => {
    const { clientRequest, isUnmodified, target } = exchange;
    const { provider } = target;
    const { socket: call, wire } = clientRequest;
    const { socket: format } = wire;
    if (call === undefined || format === undefined || provider.callSockets === undefined) return undefined;
    if (!isUnmodified || wire !== parts.wire) return undefined;
    if (parts.signed.body.byteLength > limits.socketMessageBytesMax) return undefined;
    const { lane, connection, handshakeHeaders } = call;
    const { signed } = parts;
    const socket = socketsOf(connection).find({ provider, format, signed, lane, handshakeHeaders });
    return socket && sendOver(socket, { exchange, call, format, ...parts });
  };
}

interface OutboundCall extends SocketSendParts {
  readonly exchange: Exchange;
  readonly call: SocketCall;
  readonly format: SocketFormat;
}

async function sendOver(
  socket: ProviderSocket,
  outbound: OutboundCall,
): Promise<ProviderResponse | undefined> {
  const { exchange, call, wire, signed, progress } = outbound;
  exchange.trace.egress?.addRequest(socket.host);
  const message = encodeMessage(socket, outbound);
  const reply = socket.begin(call.lane, call.expanded);
  exchange.presence.onLeave(() => reply.cancel());
  const describe = describeFailure(exchange);
  let first: SocketEvent;
  try {
    await Promise.race([socket.opened, reply.first]);
    progress.connectedAtMs = performance.now();
    progress.sentAtMs ??= progress.connectedAtMs;
    socket.send(message);
    first = await reply.first;
    progress.headAtMs = performance.now();
  } catch (cause) {
    reply.cancel();
    if (exchange.presence.hasLeft || isTimeout(cause)) throw describe(cause, false);
    return undefined;
  }
  const { error, fault } = first;
  if (fault === 'connection') socket.retire();
  if (fault === 'connection' || (fault === 'previous' && call.expanded !== undefined)) return undefined;
  const { secrets } = signed;
  if (error === undefined)
    return {
      wire,
      secrets,
      framing: 'sse',
      status: 200,
      headers: [],
      body: describeFailures(reply, describe),
    };
  const { status, headers, body } = error;
  return {
    wire,
    secrets,
    framing: 'json',
    status,
    headers: filterResponseHeaders(headersByName(headers), secrets),
    body: sourceFromValue(Buffer.from(JSON.stringify(body))),
  };
}

/** The client's own message, or all of the conversation if the provider doesn't remember what the message continues from. */
function encodeMessage(
  socket: ProviderSocket,
  { exchange, call, format, signed, wire }: OutboundCall,
): Uint8Array {
  const lane = socket.hasLanes ? call.lane : undefined;
  const isForgotten = call.expanded !== undefined && !socket.remembers(call.expanded);
  if (isForgotten || call.isRewritten === true) return format.encodeCall(signed.body, lane);
  const { model } = exchange.target;
  const message = LazyJsonObject.of(call.message);
  const changes = {
    ...(message.get('model') !== model && { model }),
    ...(lane !== call.lane && { stream_id: lane }),
  };
  const own = Object.keys(changes).length === 0 ? call.message : patchJson(message, changes);
  return wire.replaceForeignContent?.(own, model)?.body ?? own;
}

function describeFailures(
  reply: SocketReply,
  describe: ReturnType<typeof describeFailure>,
): Source<Uint8Array> {
  return {
    async next() {
      try {
        return await reply.next();
      } catch (cause) {
        throw describe(cause, true);
      }
    },
    cancel: () => reply.cancel(),
  };
}
