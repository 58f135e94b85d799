import type { HttpRequest } from './request.ts';
import type { Delimiter, ResponseHead } from './response-head.ts';

/** The connection that an answer goes out on. */
interface Outlet {
  head(status: number, headers: readonly string[]): ResponseHead;
  /** As one write. */
  send(...pieces: readonly (Uint8Array | string)[]): void;
  readonly isFull: boolean;
  /** The answer is over; whether another request may follow it. */
  ended(keepsAlive: boolean): void;
  cut(): void;
  reset(): void;
}

const lastChunk = '0\r\n\r\n';
/** Up to this many bytes are gathered, and copied to go out in one piece. */
const gatheredBytesMax = 16 * 1024;

/** The answer to one request. */
export class HttpResponse {
  readonly request: HttpRequest;
  readonly #outlet: Outlet;
  /** What was said and hasn't gone out. */
  #head: string | undefined;
  #delimiter: Delimiter = 'none';
  #keepsAlive = false;
  #headersSent = false;
  #isEnded = false;
  #isGone = false;
  #onGone: (() => void)[] = [];
  #onDrained: (() => void)[] = [];
  /** What was written in this moment, to go out together. */
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;

  constructor(request: HttpRequest, outlet: Outlet) {
    this.request = request;
    this.#outlet = outlet;
  }

  /** Whether it has begun: status and headers can't be others any more. */
  get headersSent(): boolean {
    return this.#headersSent;
  }

  /** Whether nobody gets any more of it: all was said, or the client has left. */
  get isOver(): boolean {
    return this.#isEnded || this.#isGone;
  }

  /** Whether the client doesn't read as fast as it is written. */
  get isFull(): boolean {
    return this.#outlet.isFull;
  }

  /** Runs when the client leaves before all was said, at once if it has left. */
  onGone(listener: () => void): void {
    if (this.#isGone) listener();
    else this.#onGone.push(listener);
  }

  /** Goes out with what is written first. */
  writeHead(status: number, headers: readonly string[]): this {
    if (this.#headersSent) throw new Error('an answer has one head');
    const head = this.#outlet.head(status, headers);
    this.#head = head.text;
    this.#delimiter = head.delimiter;
    this.#keepsAlive = head.keepsAlive;
    this.#headersSent = true;
    return this;
  }

  /** The head by itself, where what follows isn't there yet. */
  flushHead(): void {
    if (this.#head === undefined || this.isOver) return;
    this.#outlet.send(this.#head);
    this.#head = undefined;
  }

  /** Goes out at the end of this moment with what else is written in it. False where the client should be waited for: see `drained`. */
  write(chunk: Uint8Array | string): boolean {
    if (this.isOver) return true;
    if (this.#gatheredBytes === 0) process.nextTick(sendGathered, this);
    this.#gather(chunk);
    if (this.#gatheredBytes > gatheredBytesMax) this.#send(false);
    return !this.isFull;
  }

  end(chunk: Uint8Array | string = ''): void {
    if (this.isOver) return;
    this.#gather(chunk);
    this.#send(true);
    this.#isEnded = true;
    this.#onGone = [];
    this.#outlet.ended(this.#keepsAlive);
  }

  /** Ends the connection, so that the client sees that there would have been more. */
  destroy(): void {
    if (this.#delimiter === 'end') this.#outlet.reset();
    else this.#outlet.cut();
  }

  /** When there is room again, or nobody left to wait for. */
  drained(): Promise<void> {
    if (this.isOver || !this.isFull) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  /** Called by the connection. */
  hasRoom(): void {
    if (this.#onDrained.length === 0) return;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  /** Called by the connection. */
  leave(): void {
    if (this.isOver) return;
    this.#isGone = true;
    for (const listener of this.#onGone.splice(0)) listener();
    this.hasRoom();
  }

  /** Called when this moment is over. */
  sendGathered(): void {
    if (this.#gatheredBytes > 0 && !this.isOver) this.#send(false);
  }

  #gather(chunk: Uint8Array | string): void {
    if (chunk.length === 0 || this.#delimiter === 'none') return;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.byteLength;
  }

  /** As one write: copying a few kilobytes costs less than a list of pieces. */
  #send(isLast: boolean): void {
    const head = this.#head ?? '';
    const pieces = this.#gathered;
    const length = this.#gatheredBytes;
    this.#head = undefined;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    const isChunk = this.#delimiter === 'chunks';
    const before = isChunk && length > 0 ? `${head}${length.toString(16)}\r\n` : head;
    const after = isChunk ? `${length > 0 ? '\r\n' : ''}${isLast ? lastChunk : ''}` : '';
    if (length > gatheredBytesMax) {
      this.#outlet.send(before, ...pieces, after);
      return;
    }
    const all = Buffer.allocUnsafe(before.length + length + after.length);
    let at = all.write(before, 0, 'latin1');
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.byteLength;
    }
    if (after !== '') all.write(after, at, 'latin1');
    if (all.byteLength > 0) this.#outlet.send(all);
  }
}

function sendGathered(response: HttpResponse): void {
  response.sendGathered();
}
