import { crc32 } from 'node:zlib';
import { addPiece } from '../kernel/add-piece.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';

/** One message of such a stream: its headers that are texts, and what it carries. */
export interface EventStreamMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

export const eventStreamType = 'application/vnd.amazon.eventstream';

/**
 * Reads Amazon's event streams from bytes that may be cut anywhere: each message says how long it is, and has one checksum
 * of that and one of all of it (https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html).
 */
export class EventStreamParser {
  /** Pieces of a message whose end has not come: joined once, so that a long one stays linear. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** How long the message is that is coming; 0 while its beginning has not come. */
  #length = 0;

  push(chunk: Uint8Array): readonly EventStreamMessage[] {
    const messages: EventStreamMessage[] = [];
    addPiece(this.#held, chunk);
    this.#heldBytes += chunk.byteLength;
    while (this.#heldBytes >= Math.max(preludeBytes, this.#length)) {
      const bytes = this.#joined();
      if (this.#length === 0) this.#length = lengthIn(bytes);
      if (this.#heldBytes < this.#length) break;
      messages.push(messageIn(bytes.subarray(0, this.#length)));
      const rest = bytes.subarray(this.#length);
      this.#held = [rest];
      this.#heldBytes = rest.byteLength;
      this.#length = 0;
    }
    return messages;
  }

  /** Of many messages that come at once, each leaves the rest where it is. */
  #joined(): Buffer {
    const [first, another] = this.#held;
    if (first !== undefined && another === undefined)
      return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    const all = Buffer.concat(this.#held);
    this.#held = [all];
    return all;
  }
}

const preludeBytes = 12;
const checksumBytes = 4;

function lengthIn(bytes: Buffer): number {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw broken('a wrong checksum');
  const length = bytes.readUInt32BE(0);
  if (length > limits.frameBytesMax) throw broken(`more than ${limits.frameBytesMax} bytes`);
  if (length < preludeBytes + bytes.readUInt32BE(4) + checksumBytes) throw broken('a wrong length');
  return length;
}

function messageIn(bytes: Buffer): EventStreamMessage {
  const end = bytes.byteLength - checksumBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw broken('a wrong checksum');
  const headersEnd = preludeBytes + bytes.readUInt32BE(4);
  return {
    headers: headersIn(bytes.subarray(preludeBytes, headersEnd)),
    payload: bytes.subarray(headersEnd, end),
  };
}

/** Values of other kinds are passed over. */
function headersIn(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  try {
    for (let at = 0; at < bytes.byteLength; ) {
      const nameEnd = at + 1 + bytes.readUInt8(at);
      const name = bytes.toString('utf8', at + 1, nameEnd);
      const kind = bytes.readUInt8(nameEnd);
      const start = nameEnd + 1;
      const isCounted = kind === bytesKind || kind === textKind;
      const length = isCounted ? 2 + bytes.readUInt16BE(start) : widths[kind];
      if (length === undefined || start + length > bytes.byteLength) throw broken('wrong headers');
      if (kind === textKind) headers.set(name, bytes.toString('utf8', start + 2, start + length));
      at = start + length;
    }
  } catch (cause) {
    throw GatewayError.is(cause) ? cause : broken('wrong headers');
  }
  return headers;
}

/** Bytes of a value by its kind: true, false, numbers of four widths, then those that say their length, a time, a UUID. */
const widths: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const bytesKind = 6;
const textKind = 7;

function broken(what: string): GatewayError {
  return new GatewayError('upstream_broken', `the provider sent a message of its stream with ${what}`);
}
