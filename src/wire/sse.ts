import { StringDecoder } from 'node:string_decoder';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from './limits.ts';

export interface SseFrame {
  /** Empty if the frame has no name. */
  readonly event: string;
  readonly data: string;
}

/** Parses server-sent events from bytes cut anywhere. */
export class SseParser {
  readonly #utf8 = new StringDecoder('utf8');
  #started = false;
  /** Pieces of an incomplete line: joined once, so that long lines take linear time. */
  #line: string[] = [];
  #lineChars = 0;
  #frameChars = 0;
  #endedInCarriageReturn = false;
  #event = '';
  /** One value per data line. */
  #data: string[] = [];

  push(chunk: Uint8Array): readonly SseFrame[] {
    return this.#read(this.#utf8.write(asBuffer(chunk)));
  }

  /** Also returns a last frame without a closing blank line. */
  end(): readonly SseFrame[] {
    const frames = [...this.#read(this.#utf8.end())];
    if (this.#line.length > 0) this.#acceptLine(this.#completeLine(''), frames);
    this.#acceptLine('', frames);
    return frames;
  }

  #read(text: string): readonly SseFrame[] {
    const frames: SseFrame[] = [];
    let from = this.#skipLeading(text);
    if (text.includes('\r', from)) from = this.#readMixedLineEndings(text, from, frames);
    else
      for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', from)) {
        this.#acceptLine(this.#completeLine(text.slice(from, end)), frames);
        from = end + 1;
      }
    if (from < text.length) this.#bufferLine(from === 0 ? text : text.slice(from));
    return frames;
  }

  /** The rare case: lines that end in CRLF or CR. */
  #readMixedLineEndings(text: string, start: number, frames: SseFrame[]): number {
    const lineEnd = /\r\n|\r|\n/g;
    lineEnd.lastIndex = start;
    let from = start;
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      this.#acceptLine(this.#completeLine(text.slice(from, end.index)), frames);
      from = lineEnd.lastIndex;
    }
    this.#endedInCarriageReturn = text.endsWith('\r');
    return from;
  }

  /** Skips a byte order mark, and a line feed whose carriage return was in the previous chunk. */
  #skipLeading(text: string): number {
    if (text === '') return 0;
    let from = 0;
    if (!this.#started) {
      this.#started = true;
      if (text.charCodeAt(0) === byteOrderMark) from = 1;
    }
    if (this.#endedInCarriageReturn) {
      this.#endedInCarriageReturn = false;
      if (text.startsWith('\n')) from = 1;
    }
    return from;
  }

  #bufferLine(piece: string): void {
    this.#line.push(piece);
    this.#lineChars += piece.length;
    this.#checkFrameSize();
  }

  #checkFrameSize(): void {
    if (this.#lineChars + this.#frameChars > limits.frameBytesMax)
      throw new GatewayError(
        'upstream_broken',
        `the provider sent a frame of more than ${limits.frameBytesMax} bytes`,
      );
  }

  #completeLine(rest: string): string {
    if (this.#line.length === 0) return rest;
    const line = this.#line.join('') + rest;
    this.#line = [];
    this.#lineChars = 0;
    return line;
  }

  #acceptLine(line: string, frames: SseFrame[]): void {
    if (line === '') {
      if (this.#data.length > 0) {
        frames.push({ event: this.#event, data: this.#data.join('\n') });
        this.#data = [];
      }
      this.#event = '';
      this.#frameChars = 0;
    } else if (line.startsWith('data:')) this.#addData(fieldValue(line, 5), line);
    else if (line.startsWith('event:')) this.#event = fieldValue(line, 6);
    else if (line === 'data') this.#addData('', line);
  }

  #addData(value: string, line: string): void {
    this.#data.push(value);
    this.#frameChars += line.length;
    this.#checkFrameSize();
  }
}

/** One space after the colon belongs to the syntax. */
function fieldValue(line: string, colonEnd: number): string {
  return line.slice(line.charCodeAt(colonEnd) === space ? colonEnd + 1 : colonEnd);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const byteOrderMark = 0xfeff;
const space = 32;
