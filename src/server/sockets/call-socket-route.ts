import type { CallerAuthenticator } from '../../calls/caller-authenticator.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { WebSocketRoute } from '../api/route.ts';
import { limits } from '../limits.ts';
import { CallSocket, type CallSocketParts } from './call-socket.ts';
import { withoutHandshake } from './handshake-headers.ts';

interface CallSocketRouteParts extends Omit<CallSocketParts, 'wire' | 'format'> {
  readonly callers: CallerAuthenticator;
}

/** The routes on which clients make calls over WebSockets. */
export function callSocketRoutes(
  formats: readonly WireFormat[],
  { callers, ...parts }: CallSocketRouteParts,
): readonly WebSocketRoute[] {
  return formats.flatMap((wire) => {
    const { socket: format } = wire;
    if (format === undefined) return [];
    return {
      kind: 'websocket',
      method: 'GET',
      path: format.path,
      summary: format.summary,
      tag: 'Inference',
      access: 'key',
      messageBytesMax: limits.bodyBytesMax,
      async accept({ headers, query, remoteAddress }) {
        const identity = await callers.identify(headers, remoteAddress, wire);
        const opening = { identity, headers: withoutHandshake(headers), query, address: remoteAddress };
        return {
          accountId: identity.accountId,
          serve: (webSocket) => new CallSocket({ ...parts, wire, format }, opening, webSocket).serve(),
        };
      },
    };
  });
}
