import { HttpProtocolError, malformedRequest } from './protocol-error.ts';
import { checkTrailers, parseFields, token } from './request-head.ts';

/** Enough hexadecimal digits for any body. */
const digitsMax = 12;
/** Chunk extensions are ignored. */
const extensionBytesMax = 256;
const trailerBytesMax = 8 * 1024;
/** Each chunk costs CPU, so a body with more chunks than this needs larger ones. */
const smallChunksMax = 65_536;
/** The average size of chunks in a body with more than `smallChunksMax`. */
const chunkBytesMin = 16;
const quotedString = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
const sizeLine = new RegExp(`^([0-9A-Fa-f]+)(?:;${token}(?:=(?:${token}|${quotedString}))?)*$`);

/** Rejects a chunked body whose chunks are many and small. */
export function checkChunkCount(count: number, bytes: number): void {
  if (count > smallChunksMax && bytes < count * chunkBytesMin)
    throw new HttpProtocolError('tiny_chunks', 'too many small chunks');
}

/** Decodes a chunked body (RFC 9112, 7.1). */
export class ChunkedDecoder {
  #stage: 'size' | 'data' | 'after' | 'trailer' = 'size';
  /** The start of an incomplete line. */
  #line = '';
  #bytesLeft = 0;
  #count = 0;
  #bytes = 0;
  #trailers = '';

  /** The bytes after the body; undefined before its end. */
  rest: Buffer | undefined;

  /** Returns the content in these bytes. It is moved together in place, so that each read yields one piece. */
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
      const bareLineEnd = this.#line === '' ? this.#readBareLine(bytes, at) : at;
      if (bareLineEnd > at) {
        at = bareLineEnd;
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

  /** The fast path for a line with only a size, or an empty one. Returns where the line ends, or `at` for any other line. */
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

  /** Returns whether the line ends the body. */
  #readLine(): boolean {
    this.#checkLineLength();
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r\n')) throw malformedRequest('a line ends without a carriage return');
    const text = line.slice(0, -2);
    if (this.#stage === 'size') this.#readSizeLine(text);
    else if (this.#stage === 'trailer') return this.#readTrailerLine(text);
    else if (text === '') this.#stage = 'size';
    else throw malformedRequest('a chunk is longer than its size');
    return false;
  }

  #readSizeLine(text: string): void {
    const digits = sizeLine.exec(text)?.[1];
    if (digits === undefined || digits.length > digitsMax) throw malformedRequest('invalid chunk size');
    this.#startChunk(Number.parseInt(digits, 16));
  }

  #startChunk(length: number): void {
    this.#bytesLeft = length;
    this.#stage = length === 0 ? 'trailer' : 'data';
    if (length === 0) return;
    this.#bytes += length;
    this.#count++;
    checkChunkCount(this.#count, this.#bytes);
  }

  #readTrailerLine(text: string): boolean {
    if (text !== '') {
      this.#trailers += `${text}\r\n`;
      return false;
    }
    checkTrailers(parseFields(this.#trailers));
    return true;
  }

  #checkLineLength(): void {
    const max = this.#stage === 'trailer' ? trailerBytesMax : digitsMax + extensionBytesMax;
    if (this.#line.length + this.#trailers.length > max)
      throw new HttpProtocolError('too_large', 'chunk extensions or trailers are too large');
  }
}

/** The value of a hexadecimal digit; -1 for any other byte. */
function hexDigitOf(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
