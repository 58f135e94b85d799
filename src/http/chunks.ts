import { HttpFault, malformed } from './fault.ts';
import { readFields, token } from './request-head.ts';

/** More digits than any body has. */
const digitsMax = 12;
/** What may stand beside a chunk's length, which nobody reads. */
const extensionBytesMax = 256;
const trailerBytesMax = 8 * 1024;
const quoted = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
const sizeLine = new RegExp(`^([0-9A-Fa-f]+)(?:;${token}(?:=(?:${token}|${quoted}))?)*$`);

/** Takes a body apart that comes in chunks (RFC 9112, 7.1). */
export class Chunks {
  #stage: 'size' | 'data' | 'after' | 'trailer' = 'size';
  /** A line whose end hasn't come. */
  #line = '';
  #left = 0;
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
    this.#left = Number.parseInt(digits, 16);
    this.#stage = this.#left === 0 ? 'trailer' : 'data';
  }

  /** Headers that come late are checked like the others, and dropped. */
  #trail(text: string): boolean {
    if (text !== '') {
      this.#trailers += `${text}\r\n`;
      return false;
    }
    readFields(this.#trailers);
    return true;
  }

  #checkRoom(): void {
    const max = this.#stage === 'trailer' ? trailerBytesMax : digitsMax + extensionBytesMax;
    if (this.#line.length + this.#trailers.length > max)
      throw new HttpFault('too_large', 'too much beside the chunks');
  }
}
