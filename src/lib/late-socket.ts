import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Where a client wants to connect to: a port of a host, or a Unix socket. */
export type ConnectionTarget = { readonly host: string; readonly port: number } | { readonly path: string };

/** Opens connections in another process, which hands them over. */
export type OpenSocket = (target: ConnectionTarget) => Promise<Socket>;

/** Has the part of a `net.Socket` that clients of stores use; its connection is opened by somebody else. */
export class LateSocket extends Duplex {
  readonly #openSocket: OpenSocket;
  #socket: Socket | undefined;
  /** What was set before there was a socket. */
  readonly #pending: ((socket: Socket) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;
  connecting = false;

  constructor(openSocket: OpenSocket) {
    super({ allowHalfOpen: false });
    this.#openSocket = openSocket;
  }

  get remoteAddress(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket?.remotePort;
  }

  connect(portOrPath: number | string, host = 'localhost'): this {
    const target = typeof portOrPath === 'string' ? { path: portOrPath } : { host, port: portOrPath };
    this.connecting = true;
    this.#openSocket(target).then(
      (socket) => this.#take(socket),
      (cause) => this.destroy(cause),
    );
    return this;
  }

  setNoDelay(on?: boolean): this {
    return this.#onSocket((socket) => socket.setNoDelay(on));
  }

  setKeepAlive(on?: boolean, delayMs?: number): this {
    return this.#onSocket((socket) => socket.setKeepAlive(on, delayMs));
  }

  /** Emits `timeout` when nothing was read or written for so long. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#timeoutMs = ms;
    if (listener !== undefined) this.once('timeout', listener);
    this.#restartTimer();
    return this;
  }

  ref(): this {
    return this.#onSocket((socket) => socket.ref());
  }

  unref(): this {
    return this.#onSocket((socket) => socket.unref());
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(chunk: Uint8Array, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#restartTimer();
    this.#onSocket((socket) => socket.write(chunk, encoding, done));
  }

  override _final(done: () => void): void {
    this.#onSocket((socket) => socket.end(done));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#timeoutMs = 0;
    this.#socket?.destroy();
    done(error);
  }

  #take(socket: Socket): void {
    this.connecting = false;
    if (this.destroyed) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    socket.on('data', (chunk: Uint8Array) => {
      this.#restartTimer();
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    for (const run of this.#pending.splice(0)) run(socket);
    this.emit('connect');
    this.emit('ready');
  }

  #onSocket(run: (socket: Socket) => unknown): this {
    if (this.#socket !== undefined) run(this.#socket);
    else this.#pending.push(run);
    return this;
  }

  #restartTimer(): void {
    clearTimeout(this.#timer);
    if (this.#timeoutMs > 0) this.#timer = setTimeout(() => this.emit('timeout'), this.#timeoutMs).unref();
  }
}
