/// <reference path="../http/ws.d.ts" />

import type { IncomingMessage } from 'node:http';
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
  /** How often the server is pinged; it must answer one of two pings. Without it, never. */
  readonly pingMs?: number;
  /** Whether messages wait until `resume` is called. */
  readonly isPaused?: boolean;
  onMessage(message: Buffer, isBinary: boolean): void;
  /** Called once, also if the connection was never open. */
  onClose(cause: Error, closing: ServerClosing): void;
}

/** How a server ended a WebSocket: 1006 if it did not say. */
export interface ServerClosing {
  readonly code: number;
  readonly reason: string;
}

/** A server's answer to a request for a WebSocket, if it is not a WebSocket. */
export class RefusedUpgrade extends Error {
  readonly response: IncomingMessage;

  constructor(response: IncomingMessage) {
    super(`the server answered ${response.statusCode} in place of opening a WebSocket`);
    this.response = response;
  }
}

/** A WebSocket to a server, opened with a connector of the egress. */
export class OutboundWebSocket {
  /** Rejects if the server refuses. */
  readonly opened: Promise<void>;
  readonly #webSocket: WebSocket;
  readonly #pings: NodeJS.Timeout | undefined;
  #unansweredPings = 0;
  #isPaused: boolean;

  constructor(
    { url, headers, messageBytesMax, pingMs, isPaused = false, onMessage, onClose }: OutboundWebSocketOptions,
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
    this.#isPaused = isPaused;
    const opened = Promise.withResolvers<void>();
    this.opened = opened.promise;
    // Whoever waits for nothing learns of it by `onClose`.
    opened.promise.catch(() => undefined);
    let failure: Error | undefined;
    webSocket.on('open', () => {
      if (this.#isPaused) webSocket.pause();
      opened.resolve();
    });
    webSocket.on('message', (data, isBinary) => {
      this.#unansweredPings = 0;
      onMessage(data, isBinary);
    });
    webSocket.on('pong', () => {
      this.#unansweredPings = 0;
    });
    webSocket.on('unexpected-response', (_, response) => {
      failure = new RefusedUpgrade(response);
      opened.reject(failure);
      // Whoever reads the response has this long.
      setTimeout(() => webSocket.terminate(), limits.closeMs).unref();
      response.once('close', () => webSocket.terminate());
    });
    webSocket.on('error', (error) => {
      failure ??= error;
    });
    webSocket.on('close', (code, reason) => {
      clearInterval(this.#pings);
      const cause = failure ?? new Error(`the WebSocket was closed with ${code}`);
      opened.reject(cause);
      onClose(cause, { code, reason: reason.toString() });
    });
    this.#pings = pingMs === undefined ? undefined : setInterval(() => this.#ping(), pingMs).unref();
  }

  get isClosing(): boolean {
    return this.#webSocket.readyState > WebSocket.OPEN;
  }

  /** Resolves when the message was passed to the system, or the connection is gone. */
  send(message: Uint8Array, isBinary = false): Promise<void> {
    return new Promise((resolve) => {
      this.#webSocket.send(message, { binary: isBinary }, () => resolve());
    });
  }

  /** Stops reading, so that the server has to wait. */
  pause(): void {
    this.#isPaused = true;
    this.#webSocket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#webSocket.resume();
  }

  /** Closes the connection with a closing handshake. */
  end(code: number): void {
    this.resume();
    this.#webSocket.close(code);
  }

  /** Closes the connection without waiting for the server. */
  close(): void {
    this.#webSocket.terminate();
  }

  /** A paused connection reads no pongs. */
  #ping(): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN || this.#isPaused) return;
    if (this.#unansweredPings++ >= 2) this.#webSocket.terminate();
    else this.#webSocket.ping();
  }
}
