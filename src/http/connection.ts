import type { Socket } from 'node:net';
import { Chunks } from './chunks.ts';
import { HttpFault } from './fault.ts';
import { afterEmptyLines, behindHead, headLength } from './head-bytes.ts';
import { HttpRequest } from './request.ts';
import { RequestBody } from './request-body.ts';
import { type RequestHead, readHead } from './request-head.ts';
import { HttpResponse } from './response.ts';
import { type ResponseHead, responseHead } from './response-head.ts';

/** What all connections of a server go by. */
export interface House {
  readonly headBytesMax: number;
  /** How long a connection may wait for its next request. */
  readonly idleSeconds: number;
  /** Whether connections are kept after an answer. */
  readonly keeps: boolean;
  /** In seconds, roughly. */
  readonly now: number;
  /** As headers say it. */
  readonly date: string;
  serve(request: HttpRequest, response: HttpResponse): void;
  /** Answers on the bare socket and ends it. */
  refuse(fault: HttpFault, socket: Socket): void;
}

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A client's connection: one request after the other, each answered before the next one is looked at. */
export class Connection {
  readonly #socket: Socket;
  readonly #house: House;
  /** What came and is no part of what was read. */
  #rest: Buffer | undefined;
  #head: RequestHead | undefined;
  #body: RequestBody | undefined;
  #chunks: Chunks | undefined;
  /** Of the body, where it has a length. */
  #bytesLeft = 0;
  #response: HttpResponse | undefined;
  /** When what is waited for began: see `waitsFor`. */
  #since: number;
  #isClosing = false;

  constructor(socket: Socket, house: House, closed: (connection: Connection) => void) {
    this.#socket = socket;
    this.#house = house;
    this.#since = house.now;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('drain', () => this.#drained());
    socket.on('end', () => this.#left());
    // Whatever it was, the connection closes next.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed(this);
      this.#lose();
    });
  }

  /** Whether no request is being read or answered, and the last answer was taken. */
  get isIdle(): boolean {
    return this.#response === undefined && this.#rest === undefined && this.unsentBytes === 0;
  }

  /** What was written and hasn't left, since the client doesn't read as fast. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** By the house's clock: since when what `waitsFor` says is waited for. */
  get since(): number {
    return this.#since;
  }

  get waitsFor(): 'request' | 'head' | 'body' | 'answer' | 'room' | 'end' {
    if (this.#isClosing) return 'end';
    if (this.#response === undefined) return this.#rest === undefined ? 'request' : 'head';
    if (this.#body?.isComplete === false) return 'body';
    return this.isFull ? 'room' : 'answer';
  }

  /** Ends it at once, whatever is going on. */
  cut(): void {
    this.#socket.destroy();
  }

  /** Like that, where an end is all that says how long an answer is. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Ends it with a word for the client, unless that could be taken for a part of another answer. */
  refuse(fault: HttpFault): void {
    const socket = this.#socket;
    const hasBegun = this.#response?.headersSent ?? socket.bytesWritten > 0;
    this.#rest = undefined;
    socket.pause();
    if (hasBegun || !socket.writable) socket.destroy();
    else this.#house.refuse(fault, socket);
    this.#lose();
  }

  #take(chunk: Buffer): void {
    try {
      if (this.#body?.isComplete === false) this.#takeBody(chunk, this.#body);
      else if (this.#response !== undefined || this.isFull) this.#keepForLater(chunk);
      else this.#takeHead(chunk);
    } catch (thrown) {
      if (!(thrown instanceof HttpFault)) throw thrown;
      this.refuse(thrown);
    }
  }

  #takeHead(chunk: Buffer): void {
    const before = this.#rest;
    const bytes = afterEmptyLines(before === undefined ? chunk : Buffer.concat([before, chunk]));
    this.#rest = undefined;
    if (bytes.byteLength === 0) return;
    if (before === undefined) this.#since = this.#house.now;
    const length = headLength(bytes, before?.byteLength ?? 0, this.#house.headBytesMax);
    if (length === undefined) {
      this.#rest = bytes;
      return;
    }
    this.#begin(readHead(bytes.toString('latin1', 0, length)), behindHead(bytes, length + 2));
  }

  #begin(head: RequestHead, rest: Buffer): void {
    this.#head = head;
    const body = new RequestBody(head.length ?? Number.NaN, this);
    this.#body = body;
    this.#bytesLeft = head.length ?? 0;
    this.#chunks = head.length === undefined ? new Chunks() : undefined;
    if (head.length === 0 || rest.byteLength > 0) this.#takeBody(rest, body);
    const request = new HttpRequest(head, body, this.#socket);
    const response = new HttpResponse(request, this);
    this.#response = response;
    this.#house.serve(request, response);
  }

  #takeBody(bytes: Buffer, body: RequestBody): void {
    let own = bytes;
    let rest: Buffer | undefined;
    let isLast: boolean;
    if (this.#chunks !== undefined) {
      own = this.#chunks.take(bytes);
      rest = this.#chunks.rest;
      isLast = rest !== undefined;
    } else {
      const left = this.#bytesLeft;
      isLast = bytes.byteLength >= left;
      if (bytes.byteLength > left) {
        own = bytes.subarray(0, left);
        rest = bytes.subarray(left);
      }
      this.#bytesLeft -= own.byteLength;
    }
    // Before its reader hears of the end: it may answer at once, and the next request begins with this.
    if (rest !== undefined && rest.byteLength > 0) this.#keepForLater(rest);
    body.push(own, isLast);
  }

  /** A client may send its next request before it has its answer. */
  #keepForLater(bytes: Buffer): void {
    this.#rest = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    // Who doesn't read on doesn't see either that the client leaves.
    if (this.#rest.byteLength > this.#house.headBytesMax) this.#socket.pause();
  }

  head(status: number, headers: readonly string[]): ResponseHead {
    const { keeps, date, idleSeconds } = this.#house;
    return responseHead(status, headers, {
      isHead: this.#head?.method === 'HEAD',
      isOld: this.#head?.isOld === true,
      keepsAlive: keeps && this.#head?.keepsAlive === true,
      date,
      idleSeconds,
    });
  }

  send(...pieces: readonly (Uint8Array | string)[]): void {
    const socket = this.#socket;
    const wasFull = socket.writableNeedDrain;
    if (pieces.length > 1) socket.cork();
    for (const piece of pieces) {
      if (typeof piece !== 'string') socket.write(piece);
      else if (piece !== '') socket.write(piece, 'latin1');
    }
    if (pieces.length > 1) socket.uncork();
    if (!wasFull && socket.writableNeedDrain) this.#since = this.#house.now;
  }

  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  ended(keepsAlive: boolean): void {
    // What is left of a request that nobody wanted can't be told from the next one.
    if (!keepsAlive || this.#body?.isComplete !== true) {
      this.#close();
      return;
    }
    this.#head = undefined;
    this.#body = undefined;
    this.#chunks = undefined;
    this.#since = this.#house.now;
    if (this.#rest === undefined || this.isFull) this.#response = undefined;
    // After everybody else: thousands of requests fit into what was read at once.
    else setImmediate(() => this.#next());
  }

  /** A client that sends requests and reads no answers has to wait. */
  #next(): void {
    this.#response = undefined;
    const rest = this.#rest;
    this.#rest = undefined;
    if (this.#socket.destroyed || this.#isClosing) return;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (rest !== undefined) this.#take(rest);
  }

  #drained(): void {
    if (this.#response !== undefined) this.#response.hasRoom();
    else if (this.#rest !== undefined) this.#next();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  goOn(): void {
    // Who has its answer already needn't send anything.
    if (this.#head?.awaitsContinue === true && this.#response?.headersSent !== true)
      this.#socket.write(goOn, 'latin1');
  }

  /** Who says that nothing more will come has left: an answer that is not over is of no use to it. */
  #left(): void {
    this.#lose();
    this.#close();
  }

  /** When the client has taken what was written, or has had time to. */
  #close(): void {
    this.#isClosing = true;
    this.#since = this.#house.now;
    this.#socket.destroySoon();
  }

  #lose(): void {
    this.#body?.lose();
    this.#response?.leave();
  }
}
