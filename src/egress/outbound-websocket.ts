/// <reference path="../http/ws.d.ts" />

import type { buildConnector } from 'undici';
import { WebSocket } from 'ws';
import { type HeaderList, headersByName } from '../lib/headers.ts';
import { limits } from './limits.ts';

export interface OutboundWebSocketOptions {
  /** With its path and query. */
  readonly url: URL;
  readonly headers: HeaderList;
  /** A larger message closes the connection. */
  readonly messageBytesMax: number;
  /** Called with each text message; binary ones are ignored. */
  onMessage(message: Buffer): void;
  /** Called once, also if the connection was never open. */
  onClose(cause: Error): void;
}

/** A WebSocket to a server, opened with a connector of the egress. */
export class OutboundWebSocket {
  /** Rejects if the server refuses. */
  readonly opened: Promise<void>;
  readonly #webSocket: WebSocket;

  constructor(
    { url, headers, messageBytesMax, onMessage, onClose }: OutboundWebSocketOptions,
    connect: buildConnector.connector,
  ) {
    const webSocket = new WebSocket(url.href, [], {
      headers: headersByName(headers),
      handshakeTimeout: limits.handshakeMs,
      closeTimeout: limits.closeMs,
      maxPayload: messageBytesMax,
      // Compressed messages cost much memory, and their size is unknown before they are decompressed.
      perMessageDeflate: false,
      followRedirects: false,
      createConnection: (_, then) => {
        const { host, protocol, port } = url;
        // URLs have brackets around IPv6 addresses, sockets have none.
        const hostname = url.hostname.replace(/^\[|\]$/g, '');
        connect({ hostname, host, protocol, port }, (...[error, socket]) =>
          socket === null ? then(error) : then(null, socket),
        );
      },
    });
    this.#webSocket = webSocket;
    const opened = Promise.withResolvers<void>();
    this.opened = opened.promise;
    // Whoever waits for nothing learns of it by `onClose`.
    opened.promise.catch(() => undefined);
    let failure: Error | undefined;
    webSocket.on('open', () => opened.resolve());
    webSocket.on('message', (data, isBinary) => {
      if (!isBinary) onMessage(data);
    });
    webSocket.on('error', (error) => {
      failure ??= error;
    });
    webSocket.on('close', (code) => {
      const cause = failure ?? new Error(`the WebSocket was closed with ${code}`);
      opened.reject(cause);
      onClose(cause);
    });
  }

  get isClosing(): boolean {
    return this.#webSocket.readyState > WebSocket.OPEN;
  }

  send(message: Uint8Array): void {
    this.#webSocket.send(message, { binary: false });
  }

  /** Stops reading, so that the server has to wait. */
  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  /** Closes the connection without waiting for the server. */
  close(): void {
    this.#webSocket.terminate();
  }
}
