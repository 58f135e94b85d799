import { createServer, type Server, type Socket } from 'node:net';
import { Connection } from './connection.ts';
import { createNodeAcceptor } from './node-connection.ts';
import { HttpProtocolError } from './protocol-error.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';
import type { ConnectionContext, ServerConnection } from './server-connection.ts';

/** What reads requests and frames responses: Weir's own parser or `node:http`. */
export type HttpImplementation = 'own' | 'node';

export interface ServerOptions extends RequestHandlers {
  readonly implementation: HttpImplementation;
  readonly headBytesMax: number;
  /** How long a request head may take to arrive. */
  readonly headMs: number;
  /** How long a request may take to arrive, and how long its client may read nothing of the response. */
  readonly requestMs: number;
}

/** What may be replaced while the server runs. */
export interface RequestHandlers {
  /** Whether a GET request for this target, which asks for a WebSocket, may get one. Undefined if none may. */
  mayUpgrade?(target: string): boolean;
  /** How long a kept connection may wait for its next request. */
  readonly idleMs: number;
  serve(request: HttpRequest, response: HttpResponse): void;
  /** Writes an error response to the socket and ends it. */
  reject(error: HttpProtocolError, socket: Socket): void;
}

/**
 * Connections that may wait to be accepted. With Node's default of 511, a tenth of 2,000 simultaneous clients were reset.
 * The system's own maximum applies as well; it is 4,096 on Linux.
 */
const pendingConnectionsMax = 4096;

/** Timeouts are late by up to this time, and never early. */
const sweepIntervalMs = 1000;
/** A client that reads at least this fast is not timed out. */
const readBytesPerMsMin = 32;

/** An HTTP/1.1 server on TCP: decision 56 explains why Weir has its own parser. */
export class HttpServer {
  readonly #net: Server;
  readonly #connections = new Set<ServerConnection>();
  /** Not all options: the handlers of a server that has got others must not stay. */
  readonly #times: Pick<ServerOptions, 'headMs' | 'requestMs'>;
  readonly #context: MutableContext & ConnectionContext;
  #idleMs: number;
  #closed: Promise<void> | undefined;
  #onConnectionClose: () => void = () => undefined;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(options: ServerOptions) {
    this.#times = { headMs: options.headMs, requestMs: options.requestMs };
    this.#idleMs = options.idleMs;
    const context: MutableContext & ConnectionContext = {
      headBytesMax: options.headBytesMax,
      mayUpgrade: options.mayUpgrade,
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
    this.#context = context;
    const accept =
      options.implementation === 'node'
        ? createNodeAcceptor(context)
        : (socket: Socket) => new Connection(socket, context);
    this.#net = createServer({ noDelay: true, allowHalfOpen: true }, (socket) =>
      this.#connections.add(accept(socket)),
    );
  }

  /** Resolves to the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#net.once('error', reject);
      this.#net.listen({ port, host, backlog: pendingConnectionsMax }, () => {
        this.#net.off('error', reject);
        // A connection that cannot be accepted must not end the process.
        this.#net.on('error', () => undefined);
        this.#sweepTimer = setInterval(() => this.#sweep(), sweepIntervalMs).unref();
        const address = this.#net.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** From now on these serve all requests; those that have begun stay with the handlers before. */
  use({ idleMs, mayUpgrade, serve, reject }: RequestHandlers): void {
    this.#idleMs = idleMs;
    Object.assign(this.#context, { idleSeconds: Math.floor(idleMs / 1000), mayUpgrade, serve, reject });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** From now on each connection serves one more request. */
  disableKeepAlive(): void {
    this.#context.keepsAlive = false;
  }

  /** Stops accepting connections; resolves when the last one has closed. */
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

  closeIdleConnections(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.destroy();
  }

  closeAllConnections(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  /** Checks all timeouts once a second, which costs less than a timer for each connection. */
  #sweep(): void {
    const context = this.#context;
    context.nowSeconds = performance.now() / 1000;
    context.date = new Date().toUTCString();
    const { headMs, requestMs } = this.#times;
    const idleMs = this.#idleMs;
    for (const connection of this.#connections) {
      const wait = connection.wait();
      const readingMs = connection.unsentBytes / readBytesPerMsMin;
      const waitedMs = (context.nowSeconds - connection.waitingSince) * 1000 - sweepIntervalMs - readingMs;
      const isUnread = wait === 'drain' || wait === 'close';
      if ((wait === 'request' && waitedMs > idleMs) || (isUnread && waitedMs > requestMs))
        connection.destroy();
      else if ((wait === 'head' && waitedMs > headMs) || (wait === 'body' && waitedMs > requestMs))
        connection.reject(new HttpProtocolError('too_late', 'the request did not arrive in time'));
    }
  }
}

interface MutableContext {
  keepsAlive: boolean;
  nowSeconds: number;
  date: string;
}
