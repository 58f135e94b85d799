import { ChunkedDecoder } from './chunked-decoder.ts';
import { headLength, skipEmptyLines } from './head-bytes.ts';
import { type BodyFlowControl, RequestBody } from './request-body.ts';
import { parseHead, type RequestHead } from './request-head.ts';

/** A request whose head is complete. Its body may be incomplete. */
interface StartedRequest {
  readonly head: RequestHead;
  readonly body: RequestBody;
}

/** Splits the bytes of a connection into requests. */
export class RequestReader {
  readonly #headBytesMax: number;
  readonly #flowControl: BodyFlowControl;
  /** Bytes after the current request. */
  #buffered: Buffer | undefined;
  #body: RequestBody | undefined;
  #chunks: ChunkedDecoder | undefined;
  /** Missing bytes of a body with a length. */
  #bytesLeft = 0;

  constructor(headBytesMax: number, flowControl: BodyFlowControl) {
    this.#headBytesMax = headBytesMax;
    this.#flowControl = flowControl;
  }

  /** The bytes of an incomplete head, or of requests that the client sent ahead. */
  get bufferedBytes(): number {
    return this.#buffered?.byteLength ?? 0;
  }

  /** Whether the body of the current request is incomplete. */
  get isReadingBody(): boolean {
    return this.#body?.isComplete === false;
  }

  /** Whether the body may take any time, as long as chunks arrive. */
  get isTimedByChunk(): boolean {
    return this.#body?.isTimedByChunk === true;
  }

  /** Returns the next request once its head is complete. */
  startRequest(bytes: Buffer): StartedRequest | undefined {
    const before = this.#buffered;
    const all = skipEmptyLines(before === undefined ? bytes : Buffer.concat([before, bytes]));
    this.#buffered = undefined;
    if (all.byteLength === 0) return undefined;
    const length = headLength(all, before?.byteLength ?? 0, this.#headBytesMax);
    if (length === undefined) {
      this.#buffered = all;
      return undefined;
    }
    const head = parseHead(all.toString('latin1', 0, length));
    const body = new RequestBody(head.contentLength ?? Number.NaN, this.#flowControl);
    this.#body = body;
    this.#bytesLeft = head.contentLength ?? 0;
    this.#chunks = head.contentLength === undefined ? new ChunkedDecoder() : undefined;
    const rest = all.subarray(length + 2);
    if (head.contentLength === 0 || rest.byteLength > 0) this.continueBody(rest);
    return { head, body };
  }

  /** Passes bytes to the current body and buffers those after its end. */
  continueBody(bytes: Buffer): void {
    let content = bytes;
    let rest: Buffer | undefined;
    let isLast: boolean;
    if (this.#chunks !== undefined) {
      content = this.#chunks.decode(bytes);
      rest = this.#chunks.rest;
      isLast = rest !== undefined;
    } else {
      const left = this.#bytesLeft;
      isLast = bytes.byteLength >= left;
      if (bytes.byteLength > left) {
        content = bytes.subarray(0, left);
        rest = bytes.subarray(left);
      }
      this.#bytesLeft -= content.byteLength;
    }
    // First, because the reader may respond as soon as the body ends, and the next request starts with these bytes.
    if (rest !== undefined && rest.byteLength > 0) this.buffer(rest);
    this.#body?.push(content, isLast);
  }

  /** Buffers bytes that the client sent before its response ended. */
  buffer(bytes: Buffer): void {
    this.#buffered = this.#buffered === undefined ? bytes : Buffer.concat([this.#buffered, bytes]);
    // A paused connection does not notice that its client leaves, so small amounts do not pause it.
    if (this.#buffered.byteLength > this.#headBytesMax) this.#flowControl.pause();
  }

  takeBuffered(): Buffer | undefined {
    const bytes = this.#buffered;
    this.#buffered = undefined;
    return bytes;
  }

  /** Aborts an incomplete body. */
  abort(): void {
    this.#body?.abort();
  }
}
