/// <reference path="./ws.d.ts" />

import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { HttpResponse } from './response.ts';

export interface WebSocketOptions {
  /** A subprotocol that the client offered. */
  readonly protocol?: string | undefined;
  /** Headers of the 101 response. */
  readonly headers: readonly string[];
  readonly limits: WebSocketLimits;
  /** Called when frames of the client violate the protocol or a limit, so that the connection closes. */
  readonly onFault?: () => void;
}

export interface WebSocketLimits {
  readonly messageBytesMax: number;
  /** Messages that wait to be read; the connection is paused from this number on, or when they exceed `messageBytesMax`. */
  readonly unreadMessagesMax: number;
  /** Fragments of one message. */
  readonly fragmentsMax: number;
  /** Pings and pongs of the client between two of our pings. */
  readonly controlFramesMax: number;
  /** The client is pinged at this interval, and must answer one of two pings. */
  readonly pingMs: number;
  /** How long a connection may be without a message in either direction. */
  readonly idleMs: number;
  /** How long a closing handshake may take. */
  readonly closeMs: number;
  /** Pings and pongs are left out while more than this is unsent. */
  readonly unsentBytesMax: number;
}

export interface WebSocketMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** Close codes (RFC 6455, 7.4.1). */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  internal: 1011,
  restart: 1012,
  tryAgainLater: 1013,
} as const;

/** A WebSocket with backpressure in both directions: unread messages pause the connection, and `send` waits for the client. */
export class WebSocketConnection implements AsyncIterableIterator<WebSocketMessage, undefined> {
  /** Resolves to the close code when the connection has closed. */
  readonly closed: Promise<number>;
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #limits: WebSocketLimits;
  readonly #onFault: () => void;
  readonly #timer: NodeJS.Timeout;
  #messages: WebSocketMessage[] = [];
  #waiting: PromiseWithResolvers<IteratorResult<WebSocketMessage, undefined>> | undefined;
  #unreadBytes = 0;
  #isPaused = false;
  #isClosed = false;
  /** Whether sending has failed. */
  #isBroken = false;
  /** Pings without an answer, or a message, after them. */
  #unansweredPings = 0;
  #controlFrames = 0;
  /** Unsent bytes at the last check. */
  #unsentBytes = 0;
  #lastMessageMs = performance.now();
  #onLeaving: (() => void) | undefined;

  /**
   * Answers an upgrade request that has no handshake fault with 101, and takes over its connection. Undefined if the client has
   * left.
   */
  static accept(res: HttpResponse, options: WebSocketOptions): WebSocketConnection | undefined {
    if (res.isClosed) return undefined;
    const { request } = res;
    const names = ['upgrade', 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'];
    const headers = Object.fromEntries(names.map((name) => [name, request.header(name)?.trim()]));
    const { limits, protocol } = options;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Compressed messages cost much memory, and their size is unknown before they are decompressed.
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: limits.messageBytesMax,
      maxFragments: limits.fragmentsMax,
      closeTimeout: limits.closeMs,
      handleProtocols: () => protocol ?? false,
    });
    server.on('headers', (lines) => {
      for (let at = 0; at + 1 < options.headers.length; at += 2)
        lines.push(`${options.headers[at]}: ${options.headers[at + 1]}`);
    });
    const { socket, head } = res.takeSocket();
    let accepted: WebSocketConnection | undefined;
    server.handleUpgrade({ method: 'GET', headers }, socket, head, (webSocket) => {
      accepted = new WebSocketConnection(webSocket, socket, options);
    });
    return accepted;
  }

  // Private, so that the declarations of the package have no types of ws, which it lacks.
  private constructor(
    webSocket: WebSocket,
    socket: Duplex,
    { limits, onFault = () => undefined }: Pick<WebSocketOptions, 'limits' | 'onFault'>,
  ) {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.closed = promise;
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#limits = limits;
    this.#onFault = onFault;
    this.#timer = setInterval(() => this.#check(), limits.pingMs).unref();
    webSocket.on('message', (data, isBinary) => this.#onMessage({ data, isBinary }));
    webSocket.on('ping', (data) => this.#onPing(data));
    webSocket.on('pong', () => this.#onControlFrame());
    // A 'close' event follows.
    webSocket.on('error', (error) => {
      if (isProtocolError(error)) onFault();
    });
    webSocket.on('close', (code) => {
      this.#end();
      resolve(code);
    });
  }

  /** Whether nothing can be sent any more. */
  get isClosed(): boolean {
    return this.#isClosed || this.#isBroken || this.#webSocket.readyState !== WebSocket.OPEN;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next message; done when the connection is closed. */
  next(): Promise<IteratorResult<WebSocketMessage, undefined>> {
    const message = this.#messages.shift();
    if (message !== undefined) {
      this.#unreadBytes -= message.data.byteLength;
      if (this.#messages.length === 0) this.#resume();
      return Promise.resolve({ done: false, value: message });
    }
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined });
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Closes the connection. */
  async return(): Promise<IteratorResult<WebSocketMessage, undefined>> {
    this.close(closeCodes.normal);
    return { done: true, value: undefined };
  }

  /** Sends a string as text, bytes as a binary message. Resolves when they were passed to the system, or the client has left. */
  send(message: string | Uint8Array): Promise<void> {
    return this.#send(message, typeof message !== 'string');
  }

  /** The same for bytes in UTF-8. */
  sendText(utf8: Uint8Array): Promise<void> {
    return this.#send(utf8, false);
  }

  #send(message: string | Uint8Array, binary: boolean): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.#lastMessageMs = performance.now();
    return new Promise((resolve) =>
      this.#webSocket.send(message, { binary }, (error) => {
        if (error) this.#isBroken = true;
        resolve();
      }),
    );
  }

  /** Starts the closing handshake; `closed` resolves at its end. */
  close(code: number, reason = ''): void {
    // An unread message must not keep the client's answer from being read.
    this.#messages = [];
    this.#unreadBytes = 0;
    this.#resume();
    this.#webSocket.close(code, reason);
  }

  /** Closes the connection, and discards what still arrives. */
  refuse(code: number, reason: string): void {
    this.close(code, reason);
    this.#socket.removeAllListeners('data').resume().end();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#webSocket.resume();
  }

  /** Called in place of closing the connection when the server shuts down: the route ends its work and closes by itself. */
  onLeaving(listener: () => void): void {
    this.#onLeaving = listener;
  }

  /** Called with the size of all that arrives, before the messages in it. */
  onBytes(listener: (bytes: number) => void): void {
    this.#socket.prependListener('data', ({ byteLength }: Buffer) => listener(byteLength));
  }

  /** The server shuts down. */
  leave(): void {
    if (this.#onLeaving === undefined) this.close(closeCodes.goingAway, 'the server shuts down');
    else this.#onLeaving();
  }

  #onMessage(message: WebSocketMessage): void {
    this.#unansweredPings = 0;
    this.#lastMessageMs = performance.now();
    if (this.#waiting !== undefined) {
      this.#waiting.resolve({ done: false, value: message });
      this.#waiting = undefined;
      return;
    }
    const { messageBytesMax, unreadMessagesMax } = this.#limits;
    this.#messages.push(message);
    this.#unreadBytes += message.data.byteLength;
    if (this.#messages.length < unreadMessagesMax && this.#unreadBytes <= messageBytesMax) return;
    this.#isPaused = true;
    this.#webSocket.pause();
  }

  #onPing(data: Buffer): void {
    if (!this.#onControlFrame()) return;
    if (this.#webSocket.bufferedAmount <= this.#limits.unsentBytesMax) this.#webSocket.pong(data);
  }

  /** Returns whether the frame is within the limit. */
  #onControlFrame(): boolean {
    this.#unansweredPings = 0;
    if (this.#isClosed || ++this.#controlFrames > this.#limits.controlFramesMax) {
      if (!this.isClosed) this.#onFault();
      this.close(closeCodes.policy, 'too many control frames');
      return false;
    }
    return true;
  }

  #check(): void {
    const { bufferedAmount } = this.#webSocket;
    const { idleMs, unsentBytesMax } = this.#limits;
    const isStalled = bufferedAmount > 0 && bufferedAmount === this.#unsentBytes;
    this.#unsentBytes = bufferedAmount;
    this.#controlFrames = 0;
    // A paused connection reads no pongs.
    if (isStalled || (this.#unansweredPings >= 2 && !this.#isPaused)) this.#webSocket.terminate();
    else if (performance.now() - this.#lastMessageMs > idleMs)
      this.close(closeCodes.goingAway, 'no message for too long');
    else if (bufferedAmount <= unsentBytesMax) {
      this.#unansweredPings++;
      this.#webSocket.ping();
    }
  }

  #end(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = undefined;
  }
}

/** Other errors are of the connection. */
function isProtocolError(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('WS_ERR_');
}
