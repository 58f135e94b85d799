import { createServer, type Server, type Socket } from 'node:net';
import { Connection, type ConnectionContext } from './connection.ts';
import { HttpProtocolError } from './protocol-error.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

export interface ServerOptions {
  readonly headBytesMax: number;
  /** How long a kept connection may wait for its next request. */
  readonly idleMs: number;
  /** How long a head may take to come. */
  readonly headMs: number;
  /** How long a request as a whole may take to come, and its client may take none of the answer. */
  readonly requestMs: number;
  serve(request: HttpRequest, response: HttpResponse): void;
  /** Answers on the bare socket and ends it. */
  reject(fault: HttpProtocolError, socket: Socket): void;
}

/** The clock is late by up to this, and nobody is to be ended before its time. */
const sweepIntervalMs = 1000;
/** Who takes an answer no slower than this gets all of it. */
const readBytesPerMsMin = 32;

/** HTTP/1.1 on TCP, with no more than a gateway needs: see decision 56 for why it is not `node:http`. */
export class HttpServer {
  readonly #net: Server;
  readonly #connections = new Set<Connection>();
  readonly #options: ServerOptions;
  readonly #context: MutableContext & ConnectionContext;
  #closed: Promise<void> | undefined;
  /** Called when a connection has ended. */
  #onConnectionClose: () => void = () => undefined;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#context = {
      headBytesMax: options.headBytesMax,
      idleSeconds: Math.floor(options.idleMs / 1000),
      serve: options.serve,
      reject: options.reject,
      onClose: (connection) => {
        this.#connections.delete(connection);
        this.#onConnectionClose();
      },
      keepsAlive: true,
      nowSeconds: performance.now() / 1000,
      date: new Date().toUTCString(),
    };
    this.#net = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  /** Resolves to the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#net.once('error', reject);
      this.#net.listen(port, host, () => {
        this.#net.off('error', reject);
        // A connection that couldn't be taken is one less, and no more than that.
        this.#net.on('error', () => undefined);
        this.#sweepTimer = setInterval(() => this.#sweep(), sweepIntervalMs).unref();
        const address = this.#net.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** From now on each connection is for one more request. */
  disableKeepAlive(): void {
    this.#context.keepsAlive = false;
  }

  /** Takes no more connections; resolves when the last one has ended. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await new Promise<void>((resolve) => this.#net.close(() => resolve()));
    while (this.#connections.size > 0)
      await new Promise<void>((resolve) => (this.#onConnectionClose = resolve));
    clearInterval(this.#sweepTimer);
  }

  /** Ends those on which nothing is going on. */
  closeIdleConnections(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.destroy();
  }

  closeAllConnections(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #accept(socket: Socket): void {
    this.#connections.add(new Connection(socket, this.#context));
  }

  /** Once a second: a look at who takes too long costs less than a timer for each. */
  #sweep(): void {
    const owner = this.#context;
    owner.nowSeconds = performance.now() / 1000;
    owner.date = new Date().toUTCString();
    const { idleMs, headMs, requestMs } = this.#options;
    for (const connection of this.#connections) {
      const what = connection.waitingFor;
      const takingMs = connection.unsentBytes / readBytesPerMsMin;
      const waitedMs = (owner.nowSeconds - connection.waitingSince) * 1000 - sweepIntervalMs - takingMs;
      const doesNotTake = what === 'room' || what === 'end';
      if ((what === 'request' && waitedMs > idleMs) || (doesNotTake && waitedMs > requestMs))
        connection.destroy();
      else if ((what === 'head' && waitedMs > headMs) || (what === 'body' && waitedMs > requestMs))
        connection.reject(new HttpProtocolError('too_late', 'a request that did not come in time'));
    }
  }
}

interface MutableContext {
  keepsAlive: boolean;
  nowSeconds: number;
  date: string;
}
