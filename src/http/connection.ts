import type { Socket } from 'node:net';
import { HttpProtocolError } from './protocol-error.ts';
import { HttpRequest } from './request.ts';
import type { RequestHead } from './request-head.ts';
import { RequestReader } from './request-reader.ts';
import { HttpResponse, type ResponseConnection, type TakenSocket } from './response.ts';
import { buildResponseHead, type ResponseHead } from './response-head.ts';
import type { ConnectionContext, ConnectionWait, ServerConnection } from './server-connection.ts';

const noBytes = Buffer.alloc(0);
const continueResponse = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A connection that Weir's own parser reads. A request is parsed after the response to the previous one has ended. */
export class Connection implements ServerConnection, ResponseConnection {
  readonly #socket: Socket;
  readonly #context: ConnectionContext;
  readonly #reader: RequestReader;
  /** The head of the current request. */
  #head: RequestHead | undefined;
  #response: HttpResponse | undefined;
  #waitingSince: number;
  #isClosing = false;
  #isUpgraded = false;
  readonly #onDataEvent = (bytes: Buffer) => this.#onData(bytes);
  readonly #onDrainEvent = () => this.#onDrain();
  readonly #onEndEvent = () => this.#onClientEnd();

  constructor(socket: Socket, connectionContext: ConnectionContext) {
    this.#socket = socket;
    this.#context = connectionContext;
    this.#waitingSince = connectionContext.nowSeconds;
    this.#reader = new RequestReader(connectionContext.headBytesMax, {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      sendContinue: () => this.#sendContinue(),
    });
    socket.on('data', this.#onDataEvent);
    socket.on('drain', this.#onDrainEvent);
    socket.on('end', this.#onEndEvent);
    // A 'close' event follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      connectionContext.onClose(this);
      this.#abort();
    });
  }

  get isIdle(): boolean {
    return this.#response === undefined && this.#reader.bufferedBytes === 0 && this.unsentBytes === 0;
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  get waitingSince(): number {
    return this.#waitingSince;
  }

  wait(): ConnectionWait {
    if (this.#isUpgraded) return 'upgraded';
    if (this.#isClosing) return 'close';
    if (this.#response === undefined) return this.#reader.bufferedBytes === 0 ? 'request' : 'head';
    if (this.#reader.isReadingBody) return 'body';
    return this.needsDrain ? 'drain' : 'response';
  }

  destroy(): void {
    this.#socket.destroy();
  }

  closeSoon(): void {
    this.#close();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  reject(error: HttpProtocolError): void {
    const socket = this.#socket;
    const hasBegun = this.#response?.headersSent ?? socket.bytesWritten > 0;
    this.#reader.takeBuffered();
    socket.pause();
    if (hasBegun || !socket.writable) socket.destroy();
    else this.#context.reject(error, socket);
    this.#abort();
  }

  #onData(bytes: Buffer): void {
    try {
      if (this.#reader.isReadingBody) {
        if (this.#reader.isTimedByChunk) this.#waitingSince = this.#context.nowSeconds;
        this.#reader.continueBody(bytes);
      } else if (this.#response !== undefined || this.needsDrain) this.#reader.buffer(bytes);
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
      if (piece.length === 0) continue;
      if (typeof piece === 'string') socket.write(piece, 'latin1');
      else socket.write(piece);
    }
    if (pieces.length > 1) socket.uncork();
    if (!wasFull && socket.writableNeedDrain) this.#waitingSince = this.#context.nowSeconds;
  }

  get needsDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  takeSocket(): TakenSocket | undefined {
    const socket = this.#socket;
    if (this.#isClosing || socket.destroyed || this.#reader.isReadingBody) return undefined;
    this.#isUpgraded = true;
    socket.off('data', this.#onDataEvent).off('drain', this.#onDrainEvent).off('end', this.#onEndEvent);
    const head = this.#reader.takeBuffered() ?? noBytes;
    socket.resume();
    return { socket, head };
  }

  end(keepsAlive: boolean, ...pieces: readonly (Uint8Array | string)[]): void {
    this.send(...pieces);
    // The rest of an unread body cannot be told from the next request.
    if (!keepsAlive || this.#reader.isReadingBody) {
      this.#close();
      return;
    }
    this.#head = undefined;
    this.#waitingSince = this.#context.nowSeconds;
    if (this.#reader.bufferedBytes === 0 || this.needsDrain) this.#response = undefined;
    // One read may contain thousands of requests, so other connections take their turn first.
    else setImmediate(() => this.#readNextRequest());
  }

  #readNextRequest(): void {
    this.#response = undefined;
    const bytes = this.#reader.takeBuffered();
    if (this.#socket.destroyed || this.#isClosing) return;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (bytes !== undefined) this.#onData(bytes);
  }

  #onDrain(): void {
    if (this.#response !== undefined) this.#response.onDrain();
    else if (this.#reader.bufferedBytes > 0) this.#readNextRequest();
  }

  #sendContinue(): void {
    if (this.#head?.awaitsContinue === true && this.#response?.headersSent !== true)
      this.#socket.write(continueResponse, 'latin1');
  }

  /** A client that ends its side has left, so an unfinished response is aborted. */
  #onClientEnd(): void {
    this.#abort();
    this.#close();
  }

  /** Closes the connection when the client has read everything, or at the timeout. */
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
