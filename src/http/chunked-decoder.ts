import { HttpProtocolError, malformedRequest } from './protocol-error.ts';
import { parseFields, token } from './request-head.ts';

/** More digits than any body has. */
const digitsMax = 12;
/** What may stand beside a chunk's length, which nobody reads. */
const extensionBytesMax = 256;
const trailerBytesMax = 8 * 1024;
/** Every chunk costs some work, whatever is in it. A body may have so many small ones, */
const smallChunksMax = 65_536;
/** and of more than that, chunks have at least so many bytes on average. */
const chunkBytesMin = 16;
/** What says where a body ends, where a request goes or how it is to be read can't come after it (RFC 9110, 6.5.1). */
const forbiddenTrailers = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const quotedString = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
const sizeLine = new RegExp(`^([0-9A-Fa-f]+)(?:;${token}(?:=(?:${token}|${quotedString}))?)*$`);

/** Takes a body apart that comes in chunks (RFC 9112, 7.1). */
export class ChunkedDecoder {
  #stage: 'size' | 'data' | 'after' | 'trailer' = 'size';
  /** A line whose end hasn't come. */
  #line = '';
  #bytesLeft = 0;
  #count = 0;
  #bytes = 0;
  #trailers = '';

  /** What follows the body's end; undefined while that hasn't come. */
  rest: Buffer | undefined;

  /** The content of these bytes, moved together in them: however small the chunks are, a read makes one piece. */
  decode(bytes: Buffer): Buffer {
    let at = 0;
    let first = 0;
    let filled = 0;
    while (at < bytes.byteLength) {
      if (this.#stage === 'data') {
        const end = Math.min(bytes.byteLength, at + this.#bytesLeft);
        if (filled === 0) {
          first = at;
          filled = at;
        } else bytes.copyWithin(filled, at, end);
        filled += end - at;
        this.#bytesLeft -= end - at;
        at = end;
        if (this.#bytesLeft === 0) this.#stage = 'after';
        continue;
      }
      const plainEnd = this.#line === '' ? this.#readBareLine(bytes, at) : at;
      if (plainEnd > at) {
        at = plainEnd;
        continue;
      }
      const feed = bytes.indexOf(10, at);
      const end = feed < 0 ? bytes.byteLength : feed + 1;
      this.#line += bytes.toString('latin1', at, end);
      at = end;
      if (feed < 0) this.#checkLineLength();
      else if (this.#readLine()) {
        this.rest = bytes.subarray(at);
        break;
      }
    }
    return bytes.subarray(first, filled);
  }

  /** Reads a line that is nothing but a length, or nothing, as most are: where it ends, or `at` where it isn't one. */
  #readBareLine(bytes: Buffer, at: number): number {
    let end = at;
    let length = 0;
    if (this.#stage === 'size')
      for (let digit = hexDigitOf(bytes[end]); digit >= 0 && end - at < 8; digit = hexDigitOf(bytes[end])) {
        length = length * 16 + digit;
        end++;
      }
    if (this.#stage === 'trailer' || bytes[end] !== 13 || bytes[end + 1] !== 10) return at;
    if (this.#stage === 'after') this.#stage = 'size';
    else if (end > at) this.#startChunk(length);
    else return at;
    return end + 2;
  }

  /** Whether that was the last one. */
  #readLine(): boolean {
    this.#checkLineLength();
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r\n')) throw malformedRequest('a lone line feed');
    const text = line.slice(0, -2);
    if (this.#stage === 'size') this.#readSizeLine(text);
    else if (this.#stage === 'trailer') return this.#readTrailerLine(text);
    else if (text === '') this.#stage = 'size';
    else throw malformedRequest('a chunk that is longer than it says');
    return false;
  }

  #readSizeLine(text: string): void {
    const digits = sizeLine.exec(text)?.[1];
    if (digits === undefined || digits.length > digitsMax) throw malformedRequest('a chunk without a length');
    this.#startChunk(Number.parseInt(digits, 16));
  }

  #startChunk(length: number): void {
    this.#bytesLeft = length;
    this.#stage = length === 0 ? 'trailer' : 'data';
    if (length === 0) return;
    this.#bytes += length;
    this.#count++;
    if (this.#count > smallChunksMax && this.#bytes < this.#count * chunkBytesMin)
      throw new HttpProtocolError('tiny_chunks', 'too many small chunks');
  }

  /** Headers that come late are checked like the others, and dropped. */
  #readTrailerLine(text: string): boolean {
    if (text !== '') {
      this.#trailers += `${text}\r\n`;
      return false;
    }
    const fields = parseFields(this.#trailers);
    for (let name = 0; name < fields.length; name += 2)
      if (forbiddenTrailers.has(fields[name]?.toLowerCase() ?? ''))
        throw malformedRequest('a field that is no trailer');
    return true;
  }

  #checkLineLength(): void {
    const max = this.#stage === 'trailer' ? trailerBytesMax : digitsMax + extensionBytesMax;
    if (this.#line.length + this.#trailers.length > max)
      throw new HttpProtocolError('too_large', 'too much beside the chunks');
  }
}

/** Of a hexadecimal digit; -1 for any other byte. */
function hexDigitOf(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
