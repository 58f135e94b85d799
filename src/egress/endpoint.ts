import type { buildConnector, Dispatcher, Pool } from 'undici';
import type { Tally } from './destinations.ts';
import { OutboundWebSocket, type OutboundWebSocketOptions } from './outbound-websocket.ts';

interface EndpointParts {
  readonly pool: Pool;
  readonly address: URL;
  readonly tally: Tally;
  /** How long the server may be silent during a response. */
  readonly silenceMs: number;
  /** Makes connections for WebSockets. */
  readonly connect: buildConnector.connector;
}

/** An address with its connections. */
export class Endpoint {
  /** With its port if that is an unusual one. */
  readonly host: string;
  /** Prefix of the API's paths. */
  readonly basePath: string;
  readonly silenceMs: number;
  readonly #parts: EndpointParts;
  readonly #webSockets = new Set<OutboundWebSocket>();

  constructor(parts: EndpointParts) {
    this.#parts = parts;
    this.host = parts.address.host;
    this.basePath = parts.address.pathname.replace(/\/$/, '');
    this.silenceMs = parts.silenceMs;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#parts.tally.requests++;
    this.#parts.pool.dispatch(options, handler);
  }

  /** `path` is a path of this host. */
  openWebSocket(
    path: string,
    { onClose, ...options }: Omit<OutboundWebSocketOptions, 'url'>,
  ): OutboundWebSocket {
    const { address, tally, connect } = this.#parts;
    tally.requests++;
    const webSocket = new OutboundWebSocket(
      {
        ...options,
        url: new URL(path, address.origin),
        onClose: (cause) => {
          this.#webSockets.delete(webSocket);
          onClose(cause);
        },
      },
      connect,
    );
    this.#webSockets.add(webSocket);
    return webSocket;
  }

  /** Responses in flight still complete. */
  close(): Promise<void> {
    return this.#parts.pool.close();
  }

  /** Ends open responses, too. */
  destroy(): Promise<void> {
    for (const webSocket of this.#webSockets) webSocket.close();
    return this.#parts.pool.destroy();
  }
}
