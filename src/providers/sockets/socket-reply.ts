import type { PullResult, Source } from '../../kernel/reply/source.ts';
import type { SocketEvent } from '../../kernel/socket-format.ts';
import { limits } from '../limits.ts';

/** The events of one response as they arrive on a WebSocket, in the form of a stream over HTTP. */
export class SocketReply implements Source<Uint8Array> {
  /** Resolves with the first event; rejects if there is none. */
  readonly first: Promise<SocketEvent>;
  readonly #resolveFirst: (event: SocketEvent) => void;
  readonly #rejectFirst: (cause: unknown) => void;
  readonly #onCancel: () => void;
  /** Called when the reader has caught up. */
  readonly #onRead: () => void;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  #ending: 'complete' | { readonly cause: unknown } | undefined;
  #hasStarted = false;

  constructor(onRead: () => void, onCancel: () => void) {
    const first = Promise.withResolvers<SocketEvent>();
    this.first = first.promise;
    first.promise.catch(() => undefined);
    this.#resolveFirst = first.resolve;
    this.#rejectFirst = first.reject;
    this.#onRead = onRead;
    this.#onCancel = onCancel;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Whether the provider has to wait for the reader. */
  get isFull(): boolean {
    return this.#queuedBytes > limits.readAheadBytesMax;
  }

  push(event: SocketEvent): void {
    if (this.#ending !== undefined) return;
    this.#hasStarted = true;
    this.#resolveFirst(event);
    if (event.isLast) this.#ending = 'complete';
    if (this.#waiting === undefined) {
      this.#queue.push(event.frame);
      this.#queuedBytes += event.frame.byteLength;
    } else {
      this.#waiting.resolve(event.frame);
      this.#waiting = undefined;
    }
  }

  fail(cause: unknown): void {
    if (this.#ending !== undefined) return;
    this.#ending = { cause };
    this.#rejectFirst(cause);
    this.#waiting?.reject(cause);
    this.#waiting = undefined;
  }

  next(): PullResult<Uint8Array> {
    const frame = this.#queue.shift();
    if (frame !== undefined) {
      this.#queuedBytes -= frame.byteLength;
      this.#onRead();
      return frame;
    }
    if (this.#ending === 'complete') return undefined;
    if (this.#ending !== undefined) throw this.#ending.cause;
    this.#waiting ??= Promise.withResolvers<Uint8Array | undefined>();
    return this.#waiting.promise;
  }

  cancel(): void {
    // A complete response has been paid for, so it is still counted.
    if (this.#ending !== undefined) return;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.fail(new DOMException('the request was aborted', 'AbortError'));
    this.#onCancel();
  }
}
