import type { Socket } from 'node:net';
import { HttpProtocolError } from './protocol-error.ts';
import { HttpRequest } from './request.ts';
import type { RequestHead } from './request-head.ts';
import { RequestReader } from './request-reader.ts';
import { HttpResponse } from './response.ts';
import { buildResponseHead, type ResponseHead } from './response-head.ts';

/** The server that connections belong to. */
export interface ConnectionContext {
  readonly headBytesMax: number;
  /** How long a connection may wait for its next request. */
  readonly idleSeconds: number;
  /** Whether connections are kept after an answer. */
  readonly keepsAlive: boolean;
  /** In seconds, roughly. */
  readonly nowSeconds: number;
  /** As headers say it. */
  readonly date: string;
  serve(request: HttpRequest, response: HttpResponse): void;
  /** Answers on the bare socket and ends it. */
  reject(fault: HttpProtocolError, socket: Socket): void;
  onClose(connection: Connection): void;
}

const continueResponse = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A client's connection: one request after the other, each answered before the next one is looked at. */
export class Connection {
  readonly #socket: Socket;
  readonly #context: ConnectionContext;
  readonly #reader: RequestReader;
  /** Of the request that is being answered. */
  #head: RequestHead | undefined;
  #response: HttpResponse | undefined;
  /** When what is waited for began: see `waitsFor`. */
  #waitingSince: number;
  #isClosing = false;

  constructor(socket: Socket, connectionContext: ConnectionContext) {
    this.#socket = socket;
    this.#context = connectionContext;
    this.#waitingSince = connectionContext.nowSeconds;
    this.#reader = new RequestReader(connectionContext.headBytesMax, {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      sendContinue: () => this.#sendContinue(),
    });
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    socket.on('drain', () => this.#onDrain());
    socket.on('end', () => this.#onClientEnd());
    // Whatever it was, the connection closes next.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      connectionContext.onClose(this);
      this.#abort();
    });
  }

  /** Whether no request is being read or answered, and the last answer was taken. */
  get isIdle(): boolean {
    return this.#response === undefined && this.#reader.bufferedBytes === 0 && this.unsentBytes === 0;
  }

  /** What was written and hasn't left, since the client doesn't read as fast. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** By the owner's clock: since when what `waitsFor` says is waited for. */
  get waitingSince(): number {
    return this.#waitingSince;
  }

  get waitingFor(): 'request' | 'head' | 'body' | 'answer' | 'room' | 'end' {
    if (this.#isClosing) return 'end';
    if (this.#response === undefined) return this.#reader.bufferedBytes === 0 ? 'request' : 'head';
    if (this.#reader.isReadingBody) return 'body';
    return this.needsDrain ? 'room' : 'answer';
  }

  /** Ends it at once, whatever is going on. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Like that, where an end is all that says how long an answer is. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Ends it with a word for the client, unless that could be taken for a part of another answer. */
  reject(fault: HttpProtocolError): void {
    const socket = this.#socket;
    const hasBegun = this.#response?.headersSent ?? socket.bytesWritten > 0;
    this.#reader.takeBuffered();
    socket.pause();
    if (hasBegun || !socket.writable) socket.destroy();
    else this.#context.reject(fault, socket);
    this.#abort();
  }

  #onData(bytes: Buffer): void {
    try {
      if (this.#reader.isReadingBody) this.#reader.continueBody(bytes);
      else if (this.#response !== undefined || this.needsDrain) this.#reader.buffer(bytes);
      else this.#startRequest(bytes);
    } catch (thrown) {
      if (!(thrown instanceof HttpProtocolError)) throw thrown;
      this.reject(thrown);
    }
  }

  #startRequest(bytes: Buffer): void {
    if (this.#reader.bufferedBytes === 0) this.#waitingSince = this.#context.nowSeconds;
    const startedRequest = this.#reader.startRequest(bytes);
    if (startedRequest === undefined) return;
    this.#head = startedRequest.head;
    const request = new HttpRequest(startedRequest.head, startedRequest.body, this.#socket);
    this.#response = new HttpResponse(request, this);
    this.#context.serve(request, this.#response);
  }

  /** Called by the answer, like the four below. */
  buildHead(status: number, headers: readonly string[]): ResponseHead {
    const { keepsAlive, date, idleSeconds } = this.#context;
    return buildResponseHead(status, headers, {
      isHeadRequest: this.#head?.method === 'HEAD',
      isHttp10: this.#head?.isHttp10 === true,
      keepsAlive: keepsAlive && this.#head?.keepsAlive === true,
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
    if (!wasFull && socket.writableNeedDrain) this.#waitingSince = this.#context.nowSeconds;
  }

  get needsDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  onResponseEnd(keepsAlive: boolean): void {
    // What is left of a request that nobody wanted can't be told from the next one.
    if (!keepsAlive || this.#reader.isReadingBody) {
      this.#close();
      return;
    }
    this.#head = undefined;
    this.#waitingSince = this.#context.nowSeconds;
    if (this.#reader.bufferedBytes === 0 || this.needsDrain) this.#response = undefined;
    // After everybody else: thousands of requests fit into what was read at once.
    else setImmediate(() => this.#readNextRequest());
  }

  /** A client that sends requests and reads no answers has to wait. */
  #readNextRequest(): void {
    this.#response = undefined;
    const rest = this.#reader.takeBuffered();
    if (this.#socket.destroyed || this.#isClosing) return;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (rest !== undefined) this.#onData(rest);
  }

  #onDrain(): void {
    if (this.#response !== undefined) this.#response.onDrain();
    else if (this.#reader.bufferedBytes > 0) this.#readNextRequest();
  }

  #sendContinue(): void {
    // Who has its answer already needn't send anything.
    if (this.#head?.awaitsContinue === true && this.#response?.headersSent !== true)
      this.#socket.write(continueResponse, 'latin1');
  }

  /** Who says that nothing more will come has left: an answer that is not over is of no use to it. */
  #onClientEnd(): void {
    this.#abort();
    this.#close();
  }

  /** When the client has taken what was written, or has had time to. */
  #close(): void {
    this.#isClosing = true;
    this.#waitingSince = this.#context.nowSeconds;
    this.#socket.destroySoon();
  }

  #abort(): void {
    this.#reader.abort();
    this.#response?.abort();
  }
}
