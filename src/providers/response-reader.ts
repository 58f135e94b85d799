import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ClientPresence } from '../kernel/client-presence.ts';
import type { GatewayError } from '../kernel/errors.ts';
import type { PullResult, Source } from '../kernel/reply/source.ts';
import type { Framing } from '../kernel/wire-format.ts';
import { appendChunk } from '../lib/append-chunk.ts';
import { queueImmediate } from '../lib/queue-immediate.ts';
import { awsEventStreamContentType } from '../wire/aws-event-stream.ts';
import { FramingSniffer } from './framing-sniffer.ts';
import { limits } from './limits.ts';

/** Describes a broken connection for the client; `hasStarted` if part of the response had arrived. */
type DescribeFailure = (cause: unknown, hasStarted: boolean) => GatewayError;

export interface ProviderResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly framing: Framing;
}

/**
 * Reads one response: undici pushes, the reader pulls, and the socket is paused in between. A response that is not a
 * stream is only useful when complete: its head resolves then, unless it exceeds the read-ahead limit or turns out to be
 * a stream.
 */
export class ResponseReader implements Dispatcher.DispatchHandler, Source<Uint8Array> {
  readonly head: Promise<ProviderResponseHead>;
  readonly #resolveHead: (providerResponseHead: ProviderResponseHead) => void;
  readonly #rejectHead: (failure: unknown) => void;
  readonly #describeFailure: DescribeFailure;
  readonly #isDocument: ((contentType: string) => boolean) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Omit<ProviderResponseHead, 'framing'> | undefined;
  #framing: Framing = 'json';
  /** Set while it is undecided whether this is a stream, because the content type doesn't say so. */
  #sniffer: FramingSniffer | undefined;
  #hasStarted = false;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  #ended = false;
  #cancelled = false;
  #failure: GatewayError | undefined;

  /** `isDocument` says whether a response of this content type is only useful when complete; by default each is but a stream. */
  constructor(
    clientPresence: ClientPresence,
    describeFailure: DescribeFailure,
    isDocument?: (contentType: string) => boolean,
  ) {
    const head = Promise.withResolvers<ProviderResponseHead>();
    this.head = head.promise;
    this.#resolveHead = head.resolve;
    this.#rejectHead = head.reject;
    this.#describeFailure = describeFailure;
    this.#isDocument = isDocument;
    clientPresence.onLeave(() => this.cancel());
  }

  /** When the request got a connection, and when the response head arrived. */
  connectedAtMs: number | undefined;
  headAtMs: number | undefined;

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.connectedAtMs = performance.now();
    if (this.#cancelled) controller.abort(abortError());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.headAtMs = performance.now();
    this.#hasStarted = true;
    this.#head = { status, headers };
    if (isStreamType(headers['content-type'])) this.#resolveAsStream();
    else if (status < 300 && this.#isDocument?.(headers['content-type'] ?? '') === false)
      this.#resolveWithHead();
    else if (status < 300) this.#sniffer = new FramingSniffer();
  }

  #resolveAsStream(): void {
    this.#framing = 'sse';
    this.#resolveWithHead();
  }

  #resolveWithHead(): void {
    if (this.#head === undefined) return;
    const { status, headers } = this.#head;
    this.#resolveHead({ status, headers, framing: this.#framing });
    this.#head = undefined;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#waiting !== undefined) {
      this.#waiting.resolve(chunk);
      this.#waiting = undefined;
      return;
    }
    appendChunk(this.#queue, chunk);
    this.#queuedBytes += chunk.byteLength;
    if (this.#sniffer !== undefined) this.#sniffFraming(this.#sniffer, chunk);
    if (this.#queuedBytes <= limits.readAheadBytesMax) return;
    controller.pause();
    this.#resolveWithHead();
  }

  #sniffFraming(framingSniffer: FramingSniffer, chunk: Uint8Array): void {
    const framing = framingSniffer.sniff(chunk);
    if (framing === undefined) return;
    this.#sniffer = undefined;
    if (framing === 'sse') this.#resolveAsStream();
  }

  onResponseEnd(): void {
    this.#ended = true;
    if (this.#head !== undefined) queueImmediate(() => this.#resolveWithHead());
    this.#waiting?.resolve(undefined);
    this.#waiting = undefined;
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const failure = this.#describeFailure(cause, this.#hasStarted);
    this.#ended = true;
    this.#failure = failure;
    this.#rejectHead(failure);
    this.#waiting?.reject(failure);
    this.#waiting = undefined;
  }

  next(): PullResult<Uint8Array> {
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#queuedBytes -= chunk.byteLength;
      if (this.#controller?.paused === true && this.#queuedBytes <= limits.readAheadBytesMax / 2)
        this.#controller.resume();
      return chunk;
    }
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ended) return undefined;
    this.#waiting ??= Promise.withResolvers<Uint8Array | undefined>();
    return this.#waiting.promise;
  }

  cancel(): void {
    this.#cancelled = true;
    // A complete response has been paid for, so it is still counted.
    if (this.#ended) return;
    this.#queue = [];
    if (this.#controller !== undefined) this.#controller.abort(abortError());
    // Before there is a connection, undici doesn't report the abort.
    else this.#rejectHead(this.#describeFailure(abortError(), false));
  }
}

function isStreamType(type: string | undefined): boolean {
  return (
    type !== undefined && (type.startsWith('text/event-stream') || type.startsWith(awsEventStreamContentType))
  );
}

function abortError(): Error {
  return new DOMException('the request was aborted', 'AbortError');
}
