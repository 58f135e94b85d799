import { HttpFault, malformed } from './fault.ts';
import { readFields, token } from './request-head.ts';

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
const notInTrailers = new Set([
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
const quoted = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
const sizeLine = new RegExp(`^([0-9A-Fa-f]+)(?:;${token}(?:=(?:${token}|${quoted}))?)*$`);

/** Takes a body apart that comes in chunks (RFC 9112, 7.1). */
export class Chunks {
  #stage: 'size' | 'data' | 'after' | 'trailer' = 'size';
  /** A line whose end hasn't come. */
  #line = '';
  #left = 0;
  #count = 0;
  #bytes = 0;
  #trailers = '';

  /** What follows the body's end; undefined while that hasn't come. */
  rest: Buffer | undefined;

  /** The content of these bytes, moved together in them: however small the chunks are, a read makes one piece. */
  take(bytes: Buffer): Buffer {
    let at = 0;
    let first = 0;
    let filled = 0;
    while (at < bytes.byteLength) {
      if (this.#stage === 'data') {
        const end = Math.min(bytes.byteLength, at + this.#left);
        if (filled === 0) {
          first = at;
          filled = at;
        } else bytes.copyWithin(filled, at, end);
        filled += end - at;
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#stage = 'after';
        continue;
      }
      const plainEnd = this.#line === '' ? this.#readPlain(bytes, at) : at;
      if (plainEnd > at) {
        at = plainEnd;
        continue;
      }
      const feed = bytes.indexOf(10, at);
      const end = feed < 0 ? bytes.byteLength : feed + 1;
      this.#line += bytes.toString('latin1', at, end);
      at = end;
      if (feed < 0) this.#checkRoom();
      else if (this.#readLine()) {
        this.rest = bytes.subarray(at);
        break;
      }
    }
    return bytes.subarray(first, filled);
  }

  /** Reads a line that is nothing but a length, or nothing, as most are: where it ends, or `at` where it isn't one. */
  #readPlain(bytes: Buffer, at: number): number {
    let end = at;
    let length = 0;
    if (this.#stage === 'size')
      for (let digit = digitOf(bytes[end]); digit >= 0 && end - at < 8; digit = digitOf(bytes[end])) {
        length = length * 16 + digit;
        end++;
      }
    if (this.#stage === 'trailer' || bytes[end] !== 13 || bytes[end + 1] !== 10) return at;
    if (this.#stage === 'after') this.#stage = 'size';
    else if (end > at) this.#start(length);
    else return at;
    return end + 2;
  }

  /** Whether that was the last one. */
  #readLine(): boolean {
    this.#checkRoom();
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r\n')) throw malformed('a lone line feed');
    const text = line.slice(0, -2);
    if (this.#stage === 'size') this.#begin(text);
    else if (this.#stage === 'trailer') return this.#trail(text);
    else if (text === '') this.#stage = 'size';
    else throw malformed('a chunk that is longer than it says');
    return false;
  }

  #begin(text: string): void {
    const digits = sizeLine.exec(text)?.[1];
    if (digits === undefined || digits.length > digitsMax) throw malformed('a chunk without a length');
    this.#start(Number.parseInt(digits, 16));
  }

  #start(length: number): void {
    this.#left = length;
    this.#stage = length === 0 ? 'trailer' : 'data';
    if (length === 0) return;
    this.#bytes += length;
    this.#count++;
    if (this.#count > smallChunksMax && this.#bytes < this.#count * chunkBytesMin)
      throw new HttpFault('tiny_chunks', 'too many small chunks');
  }

  /** Headers that come late are checked like the others, and dropped. */
  #trail(text: string): boolean {
    if (text !== '') {
      this.#trailers += `${text}\r\n`;
      return false;
    }
    const fields = readFields(this.#trailers);
    for (let name = 0; name < fields.length; name += 2)
      if (notInTrailers.has(fields[name]?.toLowerCase() ?? '')) throw malformed('a field that is no trailer');
    return true;
  }

  #checkRoom(): void {
    const max = this.#stage === 'trailer' ? trailerBytesMax : digitsMax + extensionBytesMax;
    if (this.#line.length + this.#trailers.length > max)
      throw new HttpFault('too_large', 'too much beside the chunks');
  }
}

/** Of a hexadecimal digit; -1 for any other byte. */
function digitOf(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
