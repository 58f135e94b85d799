import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer } from '../lib/node-http.ts';
import { checkChunkCount } from './chunked-decoder.ts';
import { HttpProtocolError, malformedRequest } from './protocol-error.ts';
import { HttpRequest } from './request.ts';
import { RequestBody } from './request-body.ts';
import { checkTrailers, FramingHeaders, isRequestTarget } from './request-head.ts';
import { HttpResponse, type ResponseConnection } from './response.ts';
import { buildResponseHead, reasonPhraseOf } from './response-head.ts';
import type { ConnectionContext, ConnectionWait, ServerConnection } from './server-connection.ts';

/** `node:http` parses requests that a client sends ahead at once; from this number on, the connection is paused. */
const waitingRequestsPause = 8;
/** One read may contain thousands of requests. The connection closes after the response to the last of these. */
const waitingRequestsMax = 100;
const noBytes = Buffer.alloc(0);
const overflowCodes: ReadonlySet<string> = new Set(['HPE_HEADER_OVERFLOW', 'HPE_CHUNK_EXTENSIONS_OVERFLOW']);

/** Returns a function that serves a connection with `node:http` in place of Weir's own parser. */
export function createNodeAcceptor(context: ConnectionContext): (socket: Socket) => ServerConnection {
  const connections = new WeakMap<Duplex, NodeConnection>();
  const server = createServer({
    maxHeaderSize: context.headBytesMax,
    // The request guard checks the Host header.
    requireHostHeader: false,
    // HttpServer has its own timeouts.
    ...{ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 },
    // Node.js before 24.9 ignores this, and passes every upgrade to the listener below.
    shouldUpgradeCallback: (req) => isUpgrade(req, context),
  });
  // Otherwise node:http would drop the headers after the 2000th without an error.
  server.maxHeadersCount = 0;
  const onRequest = (req: IncomingMessage, res: ServerResponse) =>
    connections.get(req.socket)?.onRequest(req, res);
  server.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest);
  server.on('connect', (_, socket) =>
    connections.get(socket)?.onFault(malformedRequest('a CONNECT request')),
  );
  if (context.mayUpgrade !== undefined)
    server.on('upgrade', (req, socket, head) => connections.get(socket)?.onUpgrade(req, head));
  server.on('clientError', (error, socket) => connections.get(socket)?.onParseError(error));
  return (socket) => {
    const connection = new NodeConnection(socket, context);
    connections.set(socket, connection);
    server.emit('connection', socket);
    return connection;
  };
}

/** Other upgrades are ignored, and the request is served as HTTP. */
function isUpgrade(
  { method, url = '', headers }: IncomingMessage,
  { mayUpgrade }: ConnectionContext,
): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    !hasBody &&
    mayUpgrade?.(url) === true
  );
}

/** A request that `node:http` has parsed. */
interface ParsedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly isHttp10: boolean;
  readonly framing: FramingHeaders;
}

/** A connection that `node:http` reads. A request is served after the response to the previous one was sent. */
class NodeConnection implements ServerConnection {
  readonly #socket: Socket;
  readonly #context: ConnectionContext;
  /** Requests that are not served yet. */
  #waiting: ParsedRequest[] = [];
  /** The request that is served, until its response was sent. */
  #current: ParsedRequest | undefined;
  #body: RequestBody | undefined;
  /** The response, until it has ended. */
  #response: HttpResponse | undefined;
  /** Why the connection closes after the waiting requests. */
  #fault: HttpProtocolError | undefined;
  /** `socket.bytesRead` when the last request was parsed; later bytes belong to the next head. */
  #parsedBytes = 0;
  #hasHeadBegun = false;
  #waitingSince: number;
  #isPaused = false;
  #isClosing = false;
  #isUpgraded = false;

  constructor(socket: Socket, context: ConnectionContext) {
    this.#socket = socket;
    this.#context = context;
    this.#waitingSince = context.nowSeconds;
    // A client that ends its side has left, so an unfinished response is aborted.
    socket.on('end', () => {
      if (this.#isUpgraded) return;
      this.#abort();
      this.#close();
    });
    // A 'close' event follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isClosing = true;
      context.onClose(this);
      this.#abort();
    });
  }

  get isIdle(): boolean {
    if (this.#isUpgraded) return false;
    const isServing = this.#response !== undefined || this.#current !== undefined || this.#waiting.length > 0;
    return !isServing && !this.#hasNextHead && this.unsentBytes === 0;
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  get waitingSince(): number {
    return this.#waitingSince;
  }

  get #hasNextHead(): boolean {
    return this.#socket.bytesRead > this.#parsedBytes;
  }

  wait(): ConnectionWait {
    if (this.#isUpgraded) return 'upgraded';
    if (this.#isClosing) return 'close';
    if (this.#response !== undefined) {
      if (this.#body?.isComplete === false) return 'body';
      return this.#response.needsDrain ? 'drain' : 'response';
    }
    if (!this.#hasNextHead) return 'request';
    // node:http has no event for the first byte of a head.
    if (!this.#hasHeadBegun) this.#waitingSince = this.#context.nowSeconds;
    this.#hasHeadBegun = true;
    return 'head';
  }

  destroy(): void {
    this.#socket.destroy();
  }

  reject(error: HttpProtocolError): void {
    const socket = this.#socket;
    const hasBegun = this.#response?.headersSent ?? socket.bytesWritten > 0;
    this.#isClosing = true;
    socket.pause();
    if (hasBegun || !socket.writable) socket.destroy();
    else this.#context.reject(error, socket);
    this.#abort();
  }

  onRequest(req: IncomingMessage, res: ServerResponse): void {
    if (this.#isClosing || this.#fault !== undefined) return;
    this.#onParsed();
    const { httpVersion, rawHeaders, url = '' } = req;
    const isHttp10 = httpVersion === '1.0';
    try {
      if (this.#waiting.length >= waitingRequestsMax)
        throw new HttpProtocolError('too_large', 'too many requests sent ahead');
      if (httpVersion !== '1.1' && !isHttp10) throw malformedRequest('unsupported version');
      if (!isRequestTarget(url)) throw malformedRequest('invalid target');
      this.#waiting.push({ req, res, isHttp10, framing: new FramingHeaders(rawHeaders, isHttp10) });
    } catch (thrown) {
      this.onFault(asProtocolError(thrown));
    }
    // When all bytes of this read are parsed: most requests are complete then.
    setImmediate(() => {
      if (this.#waiting.length >= waitingRequestsPause) {
        this.#isPaused = true;
        this.#socket.pause();
      }
      this.#serveNext();
    });
  }

  /** Serves a request after which `node:http` has stopped reading the socket. */
  onUpgrade(req: IncomingMessage, head: Buffer): void {
    if (this.#isClosing || this.#fault !== undefined) return;
    this.#onParsed();
    const { method = '', url: target = '', rawHeaders: headers, httpVersion } = req;
    if (this.#current !== undefined || this.#waiting.length > 0) {
      this.onFault(malformedRequest('an upgrade behind other requests'));
      return;
    }
    if (httpVersion !== '1.1' || !isRequestTarget(target)) {
      this.reject(malformedRequest('invalid upgrade'));
      return;
    }
    const body = new RequestBody(0, noFlowControl);
    body.push(noBytes, true);
    const request = new HttpRequest({ method, target, headers, isHttp10: false }, body, this.#socket);
    const response = new HttpResponse(request, this.#upgradeConnection(head));
    this.#response = response;
    this.#socket.on('drain', () => response.onDrain());
    this.#context.serve(request, response);
  }

  /** Any response but an upgrade is the last one on the connection. */
  #upgradeConnection(head: Buffer): ResponseConnection {
    const socket = this.#socket;
    const { date, idleSeconds } = this.#context;
    const send = (pieces: readonly (Uint8Array | string)[]) => {
      for (const piece of pieces)
        if (typeof piece === 'string') socket.write(piece, 'latin1');
        else socket.write(piece);
    };
    return {
      buildHead: (status, headers) =>
        buildResponseHead(status, headers, {
          isHeadRequest: false,
          isHttp10: false,
          keepsAlive: false,
          date,
          idleSeconds,
        }),
      send: (...pieces) => send(pieces),
      get needsDrain() {
        return socket.writableNeedDrain;
      },
      end: (_, ...pieces) => {
        send(pieces);
        this.#response = undefined;
        this.#close();
      },
      closeSoon: () => this.#close(),
      destroy: () => socket.destroy(),
      reset: () => socket.resetAndDestroy(),
      takeSocket: () => {
        if (this.#isClosing || socket.destroyed) return undefined;
        this.#isUpgraded = true;
        return { socket, head };
      },
    };
  }

  onParseError({ code = '' }: Error & { readonly code?: string }): void {
    // The other errors are those of the socket, which closes by itself.
    if (code.startsWith('HPE_'))
      this.onFault(
        overflowCodes.has(code) ? new HttpProtocolError('too_large', code) : malformedRequest(code),
      );
  }

  /** Closes the connection after the complete requests before the fault are answered. */
  onFault(fault: HttpProtocolError): void {
    if (this.#isClosing || this.#fault !== undefined) return;
    this.#fault = fault;
    this.#socket.pause();
    if (this.#waiting.at(-1)?.req.complete === false) this.#waiting.pop();
    if (this.#waiting.length === 0 && this.#current?.req.complete !== true) this.reject(fault);
  }

  #onParsed(): void {
    this.#parsedBytes = this.#socket.bytesRead;
    this.#hasHeadBegun = false;
  }

  #serveNext(): void {
    if (this.#current !== undefined || this.#isClosing) return;
    const next = this.#waiting.shift();
    if (this.#isPaused && this.#fault === undefined && this.#waiting.length < waitingRequestsPause) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    if (next !== undefined) this.#serve(next);
    else if (this.#fault !== undefined) this.reject(this.#fault);
  }

  #serve(parsed: ParsedRequest): void {
    const { req, res, isHttp10, framing } = parsed;
    const { method = '', url: target = '', rawHeaders: headers } = req;
    const body = new RequestBody(framing.contentLength ?? Number.NaN, {
      pause: () => req.pause(),
      resume: () => req.resume(),
      sendContinue: () => {
        if (framing.awaitsContinue && !response.headersSent) res.writeContinue();
      },
    });
    const request = new HttpRequest({ method, target, headers, isHttp10 }, body, this.#socket);
    const response = new HttpResponse(request, this.#responseConnection(parsed));
    this.#current = parsed;
    this.#body = body;
    this.#response = response;
    this.#waitingSince = this.#context.nowSeconds;
    req.on('error', ignoreError);
    res.on('error', ignoreError);
    res.on('finish', () => this.#onFinish());
    this.#readBody(req, body);
    if (!this.#isClosing) this.#context.serve(request, response);
  }

  #readBody(req: IncomingMessage, body: RequestBody): void {
    for (let chunk: Buffer | null = req.read(); chunk !== null; chunk = req.read()) body.push(chunk, false);
    if (req.complete) {
      this.#endBody(req, body);
      return;
    }
    // The chunks that have arrived are not counted: they are bounded by the high-water mark of the request.
    let count = 0;
    let bytes = 0;
    // Chunks flow when the body is read.
    req.pause();
    req.on('data', (chunk: Buffer) => {
      if (this.#isClosing) return;
      // node:http also splits chunks at the end of each read, so their average may be 5 % lower.
      bytes += chunk.byteLength * 1.05;
      if (Number.isNaN(body.contentLength) && !this.#check(() => checkChunkCount(++count, bytes))) return;
      if (body.isTimedByChunk) this.#waitingSince = this.#context.nowSeconds;
      body.push(chunk, false);
    });
    req.on('end', () => this.#endBody(req, body));
  }

  #endBody({ rawTrailers }: IncomingMessage, body: RequestBody): void {
    if (this.#isClosing) return;
    this.#onParsed();
    if (this.#check(() => checkTrailers(rawTrailers))) body.push(noBytes, true);
  }

  /** Rejects the current request if the check fails. */
  #check(check: () => void): boolean {
    try {
      check();
      return true;
    } catch (thrown) {
      this.reject(asProtocolError(thrown));
      return false;
    }
  }

  #responseConnection({ req, res, isHttp10, framing }: ParsedRequest): ResponseConnection {
    const context = this.#context;
    return {
      buildHead: (status, headers) => {
        const isLast = this.#fault !== undefined && this.#waiting.length === 0;
        const head = buildResponseHead(status, headers, {
          isHeadRequest: req.method === 'HEAD',
          isHttp10,
          keepsAlive: context.keepsAlive && framing.keepsAlive && !isLast,
          date: context.date,
          idleSeconds: context.idleSeconds,
        });
        res.writeHead(status, reasonPhraseOf(status), [...headers, ...head.addedHeaders]);
        // node:http writes the head and the sizes of chunks.
        return { ...head, text: '', framing: head.framing === 'chunks' ? 'length' : head.framing };
      },
      send: (...pieces) => {
        const wasFull = res.writableNeedDrain;
        // An empty write sends the head.
        for (const piece of pieces) res.write(piece, 'latin1');
        if (wasFull || !res.writableNeedDrain) return;
        this.#waitingSince = context.nowSeconds;
        res.once('drain', () => this.#response?.onDrain());
      },
      get needsDrain() {
        return res.writableNeedDrain;
      },
      end: (keepsAlive, ...pieces) => {
        for (const piece of pieces.slice(0, -1)) res.write(piece);
        res.end(pieces.at(-1));
        this.#response = undefined;
        this.#waitingSince = context.nowSeconds;
        // The rest of an unread body cannot be told from the next request.
        if (!keepsAlive || this.#body?.isComplete === false) this.#close();
      },
      closeSoon: () => this.#close(),
      destroy: () => this.#socket.destroy(),
      reset: () => this.#socket.resetAndDestroy(),
      takeSocket: () => undefined,
    };
  }

  #onFinish(): void {
    if (this.#waiting.length === 0 && this.#fault === undefined) this.#current = undefined;
    // One read may contain many requests, so other connections take their turn first.
    else
      setImmediate(() => {
        this.#current = undefined;
        this.#serveNext();
      });
  }

  /** Closes the connection when the client has read everything, or at the timeout. */
  #close(): void {
    this.#isClosing = true;
    this.#waitingSince = this.#context.nowSeconds;
    this.#socket.destroySoon();
  }

  #abort(): void {
    this.#waiting = [];
    this.#body?.abort();
    this.#response?.abort();
  }
}

const noFlowControl = { pause() {}, resume() {}, sendContinue() {} };

function ignoreError(): void {
  // The socket closes, which aborts the request.
}

function asProtocolError(thrown: unknown): HttpProtocolError {
  if (thrown instanceof HttpProtocolError) return thrown;
  throw thrown;
}
