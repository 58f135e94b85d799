import type { Socket } from 'node:net';
import type { HttpRequest } from './request.ts';
import type { BodyFraming, ResponseHead } from './response-head.ts';

/** The connection that a response is sent on. */
export interface ResponseConnection {
  buildHead(
    status: number,
    headers: readonly string[],
  ): Pick<ResponseHead, 'text' | 'framing' | 'keepsAlive'>;
  /** Sends the pieces in one write. */
  send(...pieces: readonly (Uint8Array | string)[]): void;
  readonly needsDrain: boolean;
  /** Sends the last pieces of the response. */
  end(keepsAlive: boolean, ...pieces: readonly (Uint8Array | string)[]): void;
  /** Closes the connection when everything is sent. */
  closeSoon(): void;
  /** Closes the connection at once. */
  destroy(): void;
  /** Closes the connection with a TCP reset. */
  reset(): void;
  /** Hands over the socket; undefined if the connection can't speak another protocol after this request. */
  takeSocket(): TakenSocket | undefined;
}

/** A socket that no longer speaks HTTP. */
export interface TakenSocket {
  readonly socket: Socket;
  /** The bytes that followed the request. */
  readonly head: Buffer;
}

/** Observes what is sent to the client. */
export interface ResponseObserver {
  onHead(status: number, headers: readonly string[]): void;
  /** The bytes must be copied: they may change afterwards. */
  onBody(bytes: Uint8Array): void;
}

const lastChunk = '0\r\n\r\n';
/** Up to this size, pieces are copied into one buffer. */
const pendingBytesMax = 16 * 1024;

/** The response to one request. */
export class HttpResponse {
  readonly request: HttpRequest;
  readonly #connection: ResponseConnection;
  /** The head, until it is sent. */
  #head: string | undefined;
  #framing: BodyFraming = 'none';
  #keepsAlive = false;
  #headersSent = false;
  #isEnded = false;
  #isAborted = false;
  #abortListeners: (() => void)[] = [];
  #drainListeners: (() => void)[] = [];
  #observer: ResponseObserver | undefined;
  /** Pieces that are sent together at the end of this tick. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #onClose: (() => void) | undefined;

  constructor(request: HttpRequest, responseConnection: ResponseConnection) {
    this.request = request;
    this.#connection = responseConnection;
  }

  /** Whether status and headers are final. */
  get headersSent(): boolean {
    return this.#headersSent;
  }

  /** Whether the response has ended or the client has left. */
  get isClosed(): boolean {
    return this.#isEnded || this.#isAborted;
  }

  /** Whether the client reads more slowly than the gateway writes. */
  get needsDrain(): boolean {
    return this.#connection.needsDrain;
  }

  /** Calls the listener if the client leaves before the end; at once if it has left. */
  onAbort(listener: () => void): void {
    if (this.#isAborted) listener();
    else this.#abortListeners.push(listener);
  }

  /** Calls the listener when the response has ended, the client has left, or the socket was handed over. */
  onClose(listener: () => void): void {
    this.#onClose = listener;
  }

  /** Call this before `writeHead`. */
  observe(observer: ResponseObserver): void {
    this.#observer = observer;
  }

  /** Sets status and headers. They are sent with the first piece of the body. */
  writeHead(status: number, headers: readonly string[]): this {
    if (this.#headersSent) throw new Error('the response has a head already');
    const head = this.#connection.buildHead(status, headers);
    this.#head = head.text;
    this.#framing = head.framing;
    this.#keepsAlive = head.keepsAlive;
    this.#headersSent = true;
    this.#observer?.onHead(status, headers);
    return this;
  }

  /** Sends the head without waiting for the body. */
  flushHead(): void {
    if (this.#head === undefined || this.isClosed) return;
    this.#connection.send(this.#head);
    this.#head = undefined;
  }

  /** Sends a piece at the end of this tick. Returns false if the caller should wait for `waitForDrain`. */
  write(chunk: Uint8Array | string): boolean {
    if (this.isClosed) return true;
    if (this.#pendingBytes === 0) process.nextTick(flushPending, this);
    this.#enqueue(chunk);
    if (this.#pendingBytes > pendingBytesMax) this.#send(false);
    return !this.needsDrain;
  }

  end(chunk: Uint8Array | string = ''): void {
    if (this.isClosed) return;
    this.#enqueue(chunk);
    this.#isEnded = true;
    this.#abortListeners = [];
    this.#send(true);
    this.#onClose?.();
  }

  /** Ends the response without a head, and hands over the socket for another protocol. Throws if that is impossible. */
  takeSocket(): TakenSocket {
    const taken = this.#headersSent || this.isClosed ? undefined : this.#connection.takeSocket();
    if (taken === undefined) throw new Error('this connection cannot be upgraded');
    this.#headersSent = true;
    this.#isEnded = true;
    this.#abortListeners = [];
    this.#onClose?.();
    return taken;
  }

  /** Sends what was written, and closes the connection so that the client sees an incomplete response. */
  breakOff(): void {
    if (this.isClosed) return;
    this.#isEnded = true;
    this.#abortListeners = [];
    this.#send(false);
    this.#onClose?.();
    if (this.#framing === 'end') this.#connection.reset();
    else this.#connection.closeSoon();
  }

  /** Closes the connection at once, so that the client sees an incomplete response. */
  destroy(): void {
    if (this.#framing === 'end') this.#connection.reset();
    else this.#connection.destroy();
  }

  /** Resolves when the client has read enough, or has left. */
  waitForDrain(): Promise<void> {
    if (this.isClosed || !this.needsDrain) return Promise.resolve();
    return new Promise((resolve) => this.#drainListeners.push(resolve));
  }

  /** Called by the connection. */
  onDrain(): void {
    if (this.#drainListeners.length === 0) return;
    for (const resolve of this.#drainListeners.splice(0)) resolve();
  }

  /** Called by the connection. */
  abort(): void {
    if (this.isClosed) return;
    this.#isAborted = true;
    for (const listener of this.#abortListeners.splice(0)) listener();
    this.onDrain();
    this.#onClose?.();
  }

  /** Called at the end of the tick. */
  flushPending(): void {
    if (this.#pendingBytes > 0 && !this.isClosed) this.#send(false);
  }

  #enqueue(chunk: Uint8Array | string): void {
    if (chunk.length === 0 || this.#framing === 'none') return;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.byteLength;
    this.#observer?.onBody(bytes);
  }

  /** Sends everything in one write: copying a few kilobytes costs less than writing a list. */
  #send(isLast: boolean): void {
    const head = this.#head ?? '';
    const pieces = this.#pending;
    const length = this.#pendingBytes;
    this.#head = undefined;
    this.#pending = [];
    this.#pendingBytes = 0;
    const isChunk = this.#framing === 'chunks';
    const before = isChunk && length > 0 ? `${head}${length.toString(16)}\r\n` : head;
    const after = isChunk ? `${length > 0 ? '\r\n' : ''}${isLast ? lastChunk : ''}` : '';
    if (length > pendingBytesMax) {
      if (isLast) this.#connection.end(this.#keepsAlive, before, ...pieces, after);
      else this.#connection.send(before, ...pieces, after);
      return;
    }
    const all = Buffer.allocUnsafe(before.length + length + after.length);
    let at = all.write(before, 0, 'latin1');
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.byteLength;
    }
    if (after !== '') all.write(after, at, 'latin1');
    if (isLast) this.#connection.end(this.#keepsAlive, all);
    else this.#connection.send(all);
  }
}

function flushPending(response: HttpResponse): void {
  response.flushPending();
}
