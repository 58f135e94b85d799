import { crc32 } from 'node:zlib';
import { GatewayError } from '../kernel/errors.ts';
import { appendChunk } from '../lib/append-chunk.ts';
import { limits } from './limits.ts';

/** A message of an event stream: its text headers and its payload. */
export interface AwsEventStreamMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

export const awsEventStreamContentType = 'application/vnd.amazon.eventstream';

/**
 * Parses Amazon's event streams from bytes cut anywhere. Each message has its length, a checksum of that and a checksum
 * of the whole (https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html).
 */
export class AwsEventStreamParser {
  /** Chunks of an incomplete message: joined once, so that long messages take linear time. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Length of the incoming message; 0 until its start has arrived. */
  #messageLength = 0;

  push(chunk: Uint8Array): readonly AwsEventStreamMessage[] {
    const messages: AwsEventStreamMessage[] = [];
    appendChunk(this.#pending, chunk);
    this.#pendingBytes += chunk.byteLength;
    while (this.#pendingBytes >= Math.max(preludeBytes, this.#messageLength)) {
      const bytes = this.#concatPending();
      if (this.#messageLength === 0) this.#messageLength = readMessageLength(bytes);
      if (this.#pendingBytes < this.#messageLength) break;
      messages.push(readMessage(bytes.subarray(0, this.#messageLength)));
      const rest = bytes.subarray(this.#messageLength);
      this.#pending = [rest];
      this.#pendingBytes = rest.byteLength;
      this.#messageLength = 0;
    }
    return messages;
  }

  /** Joins the chunks once: all messages that arrived together are read from the same buffer. */
  #concatPending(): Buffer {
    const [first, another] = this.#pending;
    if (first !== undefined && another === undefined)
      return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    const all = Buffer.concat(this.#pending);
    this.#pending = [all];
    return all;
  }
}

const preludeBytes = 12;
const checksumBytes = 4;

function readMessageLength(bytes: Buffer): number {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw malformedMessageError('checksum mismatch');
  const length = bytes.readUInt32BE(0);
  if (length > limits.frameBytesMax) throw malformedMessageError(`more than ${limits.frameBytesMax} bytes`);
  if (length < preludeBytes + bytes.readUInt32BE(4) + checksumBytes)
    throw malformedMessageError('invalid length');
  return length;
}

function readMessage(bytes: Buffer): AwsEventStreamMessage {
  const end = bytes.byteLength - checksumBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw malformedMessageError('checksum mismatch');
  const headersEnd = preludeBytes + bytes.readUInt32BE(4);
  return {
    headers: readHeaders(bytes.subarray(preludeBytes, headersEnd)),
    payload: bytes.subarray(headersEnd, end),
  };
}

/** Skips values that are not text. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  try {
    for (let at = 0; at < bytes.byteLength; ) {
      const nameEnd = at + 1 + bytes.readUInt8(at);
      const name = bytes.toString('utf8', at + 1, nameEnd);
      const kind = bytes.readUInt8(nameEnd);
      const start = nameEnd + 1;
      const isCounted = kind === bytesKind || kind === textKind;
      const length = isCounted ? 2 + bytes.readUInt16BE(start) : valueBytesByKind[kind];
      if (length === undefined || start + length > bytes.byteLength)
        throw malformedMessageError('invalid headers');
      if (kind === textKind) headers.set(name, bytes.toString('utf8', start + 2, start + length));
      at = start + length;
    }
  } catch (cause) {
    throw GatewayError.is(cause) ? cause : malformedMessageError('invalid headers');
  }
  return headers;
}

/** Value sizes by type: true, false, integers of four widths, bytes and text (length-prefixed), timestamp, UUID. */
const valueBytesByKind: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const bytesKind = 6;
const textKind = 7;

function malformedMessageError(what: string): GatewayError {
  return new GatewayError('upstream_broken', `the provider sent a malformed event stream message: ${what}`);
}
