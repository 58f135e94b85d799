import type { Socket } from 'node:net';
import { HttpFault } from './fault.ts';
import { readInto } from './read-into.ts';
import { HttpRequest } from './request.ts';
import type { RequestHead } from './request-head.ts';
import { RequestReader } from './request-reader.ts';
import { HttpResponse } from './response.ts';
import { type ResponseHead, responseHead } from './response-head.ts';

/** The server that connections belong to. */
export interface Owner {
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
  closed(connection: Connection): void;
}

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A client's connection: one request after the other, each answered before the next one is looked at. */
export class Connection {
  readonly #socket: Socket;
  readonly #owner: Owner;
  readonly #reader: RequestReader;
  /** Of the request that is being answered. */
  #head: RequestHead | undefined;
  #response: HttpResponse | undefined;
  /** When what is waited for began: see `waitsFor`. */
  #since: number;
  #isClosing = false;

  constructor(accepted: Socket, owner: Owner) {
    const socket = readInto(accepted, (bytes) => this.#take(bytes));
    this.#socket = socket;
    this.#owner = owner;
    this.#since = owner.now;
    this.#reader = new RequestReader(owner.headBytesMax, {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      goOn: () => this.#goOn(),
    });
    socket.on('drain', () => this.#drained());
    socket.on('end', () => this.#left());
    // Whatever it was, the connection closes next.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      owner.closed(this);
      this.#lose();
    });
  }

  /** Whether no request is being read or answered, and the last answer was taken. */
  get isIdle(): boolean {
    return this.#response === undefined && this.#reader.waitingBytes === 0 && this.unsentBytes === 0;
  }

  /** What was written and hasn't left, since the client doesn't read as fast. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** By the owner's clock: since when what `waitsFor` says is waited for. */
  get since(): number {
    return this.#since;
  }

  get waitsFor(): 'request' | 'head' | 'body' | 'answer' | 'room' | 'end' {
    if (this.#isClosing) return 'end';
    if (this.#response === undefined) return this.#reader.waitingBytes === 0 ? 'request' : 'head';
    if (this.#reader.isInBody) return 'body';
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
    this.#reader.release();
    socket.pause();
    if (hasBegun || !socket.writable) socket.destroy();
    else this.#owner.refuse(fault, socket);
    this.#lose();
  }

  #take(bytes: Buffer): void {
    try {
      if (this.#reader.isInBody) this.#reader.goOn(bytes);
      else if (this.#response !== undefined || this.isFull) this.#reader.keep(bytes);
      else this.#begin(bytes);
    } catch (thrown) {
      if (!(thrown instanceof HttpFault)) throw thrown;
      this.refuse(thrown);
    }
  }

  #begin(bytes: Buffer): void {
    if (this.#reader.waitingBytes === 0) this.#since = this.#owner.now;
    const begun = this.#reader.begin(bytes);
    if (begun === undefined) return;
    this.#head = begun.head;
    const request = new HttpRequest(begun.head, begun.body, this.#socket);
    this.#response = new HttpResponse(request, this);
    this.#owner.serve(request, this.#response);
  }

  /** Called by the answer, like the four below. */
  head(status: number, headers: readonly string[]): ResponseHead {
    const { keeps, date, idleSeconds } = this.#owner;
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
    if (!wasFull && socket.writableNeedDrain) this.#since = this.#owner.now;
  }

  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  ended(keepsAlive: boolean): void {
    // What is left of a request that nobody wanted can't be told from the next one.
    if (!keepsAlive || this.#reader.isInBody) {
      this.#close();
      return;
    }
    this.#head = undefined;
    this.#since = this.#owner.now;
    if (this.#reader.waitingBytes === 0 || this.isFull) this.#response = undefined;
    // After everybody else: thousands of requests fit into what was read at once.
    else setImmediate(() => this.#next());
  }

  /** A client that sends requests and reads no answers has to wait. */
  #next(): void {
    this.#response = undefined;
    const rest = this.#reader.release();
    if (this.#socket.destroyed || this.#isClosing) return;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (rest !== undefined) this.#take(rest);
  }

  #drained(): void {
    if (this.#response !== undefined) this.#response.hasRoom();
    else if (this.#reader.waitingBytes > 0) this.#next();
  }

  #goOn(): void {
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
    this.#since = this.#owner.now;
    this.#socket.destroySoon();
  }

  #lose(): void {
    this.#reader.lose();
    this.#response?.leave();
  }
}
