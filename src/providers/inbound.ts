import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { addPiece } from '../kernel/add-piece.ts';
import type { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { Presence } from '../kernel/presence.ts';
import type { Pulled, Source } from '../kernel/reply/source.ts';
import { atTurnEnd } from '../kernel/turn-end.ts';
import type { Framing } from '../kernel/wire-format.ts';
import { eventStreamType } from '../wire/event-stream.ts';
import { FirstBytes } from './first-bytes.ts';

/** Words a broken connection for the caller; `hasBegun` where a part of the answer had come. */
type Explain = (cause: unknown, hasBegun: boolean) => GatewayError;

export interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly framing: Framing;
}

/**
 * One answer on its way in: undici pushes, the reader pulls, and the socket is paused in between. An answer that is no
 * stream is of no use before it is whole: its head is told only then, unless it is larger than what is read ahead or
 * begins like a stream after all.
 */
export class Inbound implements Dispatcher.DispatchHandler, Source<Uint8Array> {
  readonly head: Promise<Head>;
  readonly #resolveHead: (head: Head) => void;
  readonly #rejectHead: (failure: unknown) => void;
  readonly #explain: Explain;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Omit<Head, 'framing'> | undefined;
  #framing: Framing = 'json';
  /** While it isn't known whether this is a stream, which no label said. */
  #firstBytes: FirstBytes | undefined;
  #hasBegun = false;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  #over = false;
  #cancelled = false;
  #failure: GatewayError | undefined;

  constructor(presence: Presence, explain: Explain) {
    const head = Promise.withResolvers<Head>();
    this.head = head.promise;
    this.#resolveHead = head.resolve;
    this.#rejectHead = head.reject;
    this.#explain = explain;
    presence.onGone(() => this.cancel());
  }

  /** When there was a connection for the question, and when the answer's head came. */
  connectedAtMs: number | undefined;
  headAtMs: number | undefined;

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.connectedAtMs = performance.now();
    if (this.#cancelled) controller.abort(gone());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.headAtMs = performance.now();
    this.#hasBegun = true;
    this.#head = { status, headers };
    if (isStream(headers['content-type'])) this.#tellStream();
    else if (status < 300) this.#firstBytes = new FirstBytes();
  }

  #tellStream(): void {
    this.#framing = 'sse';
    this.#tellHead();
  }

  #tellHead(): void {
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
    addPiece(this.#queue, chunk);
    this.#queuedBytes += chunk.byteLength;
    if (this.#firstBytes !== undefined) this.#look(this.#firstBytes, chunk);
    if (this.#queuedBytes <= limits.readAheadBytesMax) return;
    controller.pause();
    this.#tellHead();
  }

  #look(firstBytes: FirstBytes, chunk: Uint8Array): void {
    const seen = firstBytes.read(chunk);
    if (seen === undefined) return;
    this.#firstBytes = undefined;
    if (seen === 'sse') this.#tellStream();
  }

  onResponseEnd(): void {
    this.#over = true;
    if (this.#head !== undefined) atTurnEnd(() => this.#tellHead());
    this.#waiting?.resolve(undefined);
    this.#waiting = undefined;
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const failure = this.#explain(cause, this.#hasBegun);
    this.#over = true;
    this.#failure = failure;
    this.#rejectHead(failure);
    this.#waiting?.reject(failure);
    this.#waiting = undefined;
  }

  next(): Pulled<Uint8Array> {
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#queuedBytes -= chunk.byteLength;
      if (this.#controller?.paused === true && this.#queuedBytes <= limits.readAheadBytesMax / 2)
        this.#controller.resume();
      return chunk;
    }
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#over) return undefined;
    this.#waiting ??= Promise.withResolvers<Uint8Array | undefined>();
    return this.#waiting.promise;
  }

  cancel(): void {
    this.#cancelled = true;
    // What is there whole has been paid for, and is at least counted.
    if (this.#over) return;
    this.#queue = [];
    if (this.#controller !== undefined) this.#controller.abort(gone());
    // Still without a connection: nobody else would say that this is over.
    else this.#rejectHead(this.#explain(gone(), false));
  }
}

function isStream(type: string | undefined): boolean {
  return type !== undefined && (type.startsWith('text/event-stream') || type.startsWith(eventStreamType));
}

function gone(): Error {
  return new DOMException('nobody waits for this answer any more', 'AbortError');
}
