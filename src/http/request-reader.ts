import { Chunks } from './chunks.ts';
import { afterEmptyLines, headLength } from './head-bytes.ts';
import { type BodySource, RequestBody } from './request-body.ts';
import { type RequestHead, readHead } from './request-head.ts';

/** A request whose head has come, and perhaps some of its body. */
export interface Begun {
  readonly head: RequestHead;
  readonly body: RequestBody;
}

/** Tells a connection's requests apart. Of the bytes that it is shown it copies what it keeps. */
export class RequestReader {
  readonly #headBytesMax: number;
  readonly #source: BodySource;
  /** What came and is no part of what was read. */
  #rest: Buffer | undefined;
  #body: RequestBody | undefined;
  #chunks: Chunks | undefined;
  /** Of the body, where it has a length. */
  #bytesLeft = 0;

  constructor(headBytesMax: number, source: BodySource) {
    this.#headBytesMax = headBytesMax;
    this.#source = source;
  }

  /** How much has come of what wasn't read yet: a part of a head, or what a client sent ahead. */
  get waitingBytes(): number {
    return this.#rest?.byteLength ?? 0;
  }

  /** Whether a request has begun of whose body more is to come. */
  get isInBody(): boolean {
    return this.#body?.isComplete === false;
  }

  /** The next request, once all of its head is here. */
  begin(bytes: Buffer): Begun | undefined {
    const before = this.#rest;
    const all = afterEmptyLines(before === undefined ? bytes : Buffer.concat([before, bytes]));
    this.#rest = undefined;
    if (all.byteLength === 0) return undefined;
    const length = headLength(all, before?.byteLength ?? 0, this.#headBytesMax);
    if (length === undefined) {
      this.#rest = before === undefined ? Buffer.from(all) : all;
      return undefined;
    }
    const head = readHead(all.toString('latin1', 0, length));
    const body = new RequestBody(head.length ?? Number.NaN, this.#source);
    this.#body = body;
    this.#bytesLeft = head.length ?? 0;
    this.#chunks = head.length === undefined ? new Chunks() : undefined;
    const behind = all.subarray(length + 2);
    if (head.length === 0 || behind.byteLength > 0) this.goOn(behind);
    return { head, body };
  }

  /** More of the body that was begun, and perhaps of what follows it. */
  goOn(bytes: Buffer): void {
    let own = bytes;
    let rest: Buffer | undefined;
    let isLast: boolean;
    if (this.#chunks !== undefined) {
      own = this.#chunks.take(bytes);
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
    if (rest !== undefined && rest.byteLength > 0) this.keep(rest);
    this.#body?.push(own, isLast);
  }

  /** For later: a client may send its next request before it has its answer. */
  keep(bytes: Buffer): void {
    this.#rest = Buffer.concat(this.#rest === undefined ? [bytes] : [this.#rest, bytes]);
    // Who doesn't read on doesn't see either that the client leaves.
    if (this.#rest.byteLength > this.#headBytesMax) this.#source.pause();
  }

  /** What was kept, to be read now. */
  release(): Buffer | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest;
  }

  /** Nothing more will come. */
  lose(): void {
    this.#body?.lose();
  }
}
