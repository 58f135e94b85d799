import type { HttpRequest } from '../http/request.ts';
import type { BodyReader, RequestBody } from '../http/request-body.ts';
import { GatewayError } from '../kernel/errors.ts';
import { bodyTooLargeError, bodyTooSlowError, clientClosedError, encodingOf } from './body.ts';
import { limits } from './limits.ts';
import { IncomingBody, type SlowBodyMonitor } from './slow-body-monitor.ts';

interface BodyStreamOptions {
  readonly bytesMax: number;
  /** Ends a body whose client sends too slowly; the time in which nobody reads it does not count. */
  readonly slowBodies: SlowBodyMonitor;
}

/** Reads a body chunk by chunk. The connection is paused between a chunk and the request for the next one. */
export function streamBody(req: HttpRequest, bodyStreamOptions: BodyStreamOptions): BodyStream {
  if (encodingOf(req) !== 'identity')
    throw new GatewayError('unsupported_encoding', 'this route accepts a body without content-encoding only');
  if (req.body.contentLength > bodyStreamOptions.bytesMax)
    throw bodyTooLargeError(bodyStreamOptions.bytesMax);
  return new BodyStream(req.body, bodyStreamOptions);
}

/** Not a generator: `return` has to work while a chunk is awaited. */
export class BodyStream implements AsyncIterableIterator<Buffer, undefined> {
  readonly #body: RequestBody;
  readonly #options: BodyStreamOptions;
  readonly #incoming = new IncomingBody(() => this.#fail(bodyTooSlowError()));
  readonly #reader: BodyReader;
  #chunks: Buffer[] = [];
  #waiting: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined;
  #bytes = 0;
  #pausedAtMs = performance.now();
  #isEnded = false;
  #failure: GatewayError | undefined;

  constructor(body: RequestBody, bodyStreamOptions: BodyStreamOptions) {
    this.#body = body;
    this.#options = bodyStreamOptions;
    body.isTimedByChunk = true;
    this.#reader = {
      onChunk: (chunk) => this.#onChunk(chunk),
      onEnd: () => this.#end(),
      onAbort: () => this.#fail(clientClosedError()),
    };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    if (!this.#isEnded && this.#chunks.length === 0 && this.#waiting === undefined) this.#resume();
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Reads no more of the body. */
  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#chunks = [];
    this.#end();
    return { done: true, value: undefined };
  }

  #resume(): void {
    const { slowBodies } = this.#options;
    const incoming = this.#incoming;
    const nowMs = performance.now();
    incoming.startedAtMs += nowMs - this.#pausedAtMs;
    if (nowMs - incoming.startedAtMs > limits.streamedBodyWindowMs) {
      incoming.startedAtMs = nowMs;
      incoming.bytes = 0;
    }
    slowBodies.add(incoming);
    this.#body.read(this.#reader);
  }

  #pause(): void {
    this.#options.slowBodies.delete(this.#incoming);
    this.#pausedAtMs = performance.now();
    this.#body.stop();
  }

  #onChunk(chunk: Buffer): void {
    if (this.#isEnded) return;
    this.#pause();
    this.#incoming.bytes += chunk.byteLength;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#options.bytesMax) this.#fail(bodyTooLargeError(this.#options.bytesMax));
    else if (this.#waiting === undefined) this.#chunks.push(chunk);
    else {
      this.#waiting.resolve({ done: false, value: chunk });
      this.#waiting = undefined;
    }
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pause();
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  #fail(failure: GatewayError): void {
    if (this.#isEnded) return;
    this.#failure = failure;
    this.#isEnded = true;
    this.#pause();
    this.#waiting?.reject(failure);
    this.#waiting = undefined;
  }
}
