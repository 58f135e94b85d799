import type { HttpRequest } from './request.ts';
import type { BodyFraming, ResponseHead } from './response-head.ts';

/** The connection that an answer goes out on. */
interface ResponseConnection {
  buildHead(status: number, headers: readonly string[]): ResponseHead;
  /** As one write. */
  send(...pieces: readonly (Uint8Array | string)[]): void;
  readonly needsDrain: boolean;
  /** The answer is over; whether another request may follow it. */
  onResponseEnd(keepsAlive: boolean): void;
  destroy(): void;
  reset(): void;
}

const lastChunk = '0\r\n\r\n';
/** Up to this many bytes are gathered, and copied to go out in one piece. */
const pendingBytesMax = 16 * 1024;

/** The answer to one request. */
export class HttpResponse {
  readonly request: HttpRequest;
  readonly #connection: ResponseConnection;
  /** What was said and hasn't gone out. */
  #head: string | undefined;
  #framing: BodyFraming = 'none';
  #keepsAlive = false;
  #headersSent = false;
  #isEnded = false;
  #isAborted = false;
  #abortListeners: (() => void)[] = [];
  #drainListeners: (() => void)[] = [];
  /** What was written in this moment, to go out together. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(request: HttpRequest, responseConnection: ResponseConnection) {
    this.request = request;
    this.#connection = responseConnection;
  }

  /** Whether it has begun: status and headers can't be others any more. */
  get headersSent(): boolean {
    return this.#headersSent;
  }

  /** Whether nobody gets any more of it: all was said, or the client has left. */
  get isClosed(): boolean {
    return this.#isEnded || this.#isAborted;
  }

  /** Whether the client doesn't read as fast as it is written. */
  get needsDrain(): boolean {
    return this.#connection.needsDrain;
  }

  /** Runs when the client leaves before all was said, at once if it has left. */
  onAbort(listener: () => void): void {
    if (this.#isAborted) listener();
    else this.#abortListeners.push(listener);
  }

  /** Goes out with what is written first. */
  writeHead(status: number, headers: readonly string[]): this {
    if (this.#headersSent) throw new Error('an answer has one head');
    const head = this.#connection.buildHead(status, headers);
    this.#head = head.text;
    this.#framing = head.framing;
    this.#keepsAlive = head.keepsAlive;
    this.#headersSent = true;
    return this;
  }

  /** The head by itself, where what follows isn't there yet. */
  flushHead(): void {
    if (this.#head === undefined || this.isClosed) return;
    this.#connection.send(this.#head);
    this.#head = undefined;
  }

  /** Goes out at the end of this moment with what else is written in it. False where the client should be waited for: see `drained`. */
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
    this.#send(true);
    this.#isEnded = true;
    this.#abortListeners = [];
    this.#connection.onResponseEnd(this.#keepsAlive);
  }

  /** Ends the connection, so that the client sees that there would have been more. */
  destroy(): void {
    if (this.#framing === 'end') this.#connection.reset();
    else this.#connection.destroy();
  }

  /** When there is room again, or nobody left to wait for. */
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
  }

  /** Called when this moment is over. */
  flushPending(): void {
    if (this.#pendingBytes > 0 && !this.isClosed) this.#send(false);
  }

  #enqueue(chunk: Uint8Array | string): void {
    if (chunk.length === 0 || this.#framing === 'none') return;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.byteLength;
  }

  /** As one write: copying a few kilobytes costs less than a list of pieces. */
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
      this.#connection.send(before, ...pieces, after);
      return;
    }
    const all = Buffer.allocUnsafe(before.length + length + after.length);
    let at = all.write(before, 0, 'latin1');
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.byteLength;
    }
    if (after !== '') all.write(after, at, 'latin1');
    if (all.byteLength > 0) this.#connection.send(all);
  }
}

function flushPending(response: HttpResponse): void {
  response.flushPending();
}
