import { ChunkedDecoder } from './chunked-decoder.ts';
import { headLength, skipEmptyLines } from './head-bytes.ts';
import { type BodyFlowControl, RequestBody } from './request-body.ts';
import { parseHead, type RequestHead } from './request-head.ts';

/** A request whose head has come, and perhaps some of its body. */
export interface StartedRequest {
  readonly head: RequestHead;
  readonly body: RequestBody;
}

/** Splits the bytes of a connection into requests. */
export class RequestReader {
  readonly #headBytesMax: number;
  readonly #source: BodyFlowControl;
  /** What came and is no part of what was read. */
  #buffered: Buffer | undefined;
  #body: RequestBody | undefined;
  #chunks: ChunkedDecoder | undefined;
  /** Of the body, where it has a length. */
  #bytesLeft = 0;

  constructor(headBytesMax: number, source: BodyFlowControl) {
    this.#headBytesMax = headBytesMax;
    this.#source = source;
  }

  /** How much has come of what wasn't read yet: a part of a head, or what a client sent ahead. */
  get bufferedBytes(): number {
    return this.#buffered?.byteLength ?? 0;
  }

  /** Whether a request has begun of whose body more is to come. */
  get isReadingBody(): boolean {
    return this.#body?.isComplete === false;
  }

  /** The next request, once all of its head is here. */
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
    const body = new RequestBody(head.contentLength ?? Number.NaN, this.#source);
    this.#body = body;
    this.#bytesLeft = head.contentLength ?? 0;
    this.#chunks = head.contentLength === undefined ? new ChunkedDecoder() : undefined;
    const behind = all.subarray(length + 2);
    if (head.contentLength === 0 || behind.byteLength > 0) this.continueBody(behind);
    return { head, body };
  }

  /** More of the body that was begun, and perhaps of what follows it. */
  continueBody(bytes: Buffer): void {
    let own = bytes;
    let rest: Buffer | undefined;
    let isLast: boolean;
    if (this.#chunks !== undefined) {
      own = this.#chunks.decode(bytes);
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
    if (rest !== undefined && rest.byteLength > 0) this.buffer(rest);
    this.#body?.push(own, isLast);
  }

  /** For later: a client may send its next request before it has its answer. */
  buffer(bytes: Buffer): void {
    this.#buffered = this.#buffered === undefined ? bytes : Buffer.concat([this.#buffered, bytes]);
    // Who doesn't read on doesn't see either that the client leaves.
    if (this.#buffered.byteLength > this.#headBytesMax) this.#source.pause();
  }

  /** What was kept, to be read now. */
  takeBuffered(): Buffer | undefined {
    const rest = this.#buffered;
    this.#buffered = undefined;
    return rest;
  }

  /** Nothing more will come. */
  abort(): void {
    this.#body?.abort();
  }
}
