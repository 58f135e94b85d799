import type { Framing } from '../kernel/wire-format.ts';

/** Detects from the first bytes whether a response is a stream or one document: content types can be wrong. */
export class FramingSniffer {
  #text = '';

  /** Undefined while undecided; `neither` if it starts like neither of them. */
  sniff(chunk: Uint8Array): Framing | 'neither' | undefined {
    let at = 0;
    if (this.#text === '') while (isBlank(chunk[at])) at++;
    if (at === chunk.byteLength) return undefined;
    if (this.#text === '' && chunk[at] === brace) return 'json';
    this.#text += Buffer.from(chunk.subarray(at, at + longestStart)).toString('latin1');
    if (streamStarts.some((start) => this.#text.startsWith(start))) return 'sse';
    return streamStarts.some((start) => start.startsWith(this.#text)) ? undefined : 'neither';
  }
}

/** Whitespace or a byte of a byte order mark. */
function isBlank(byte: number | undefined): boolean {
  switch (byte) {
    case 0x20:
    case 0x09:
    case 0x0a:
    case 0x0d:
    case 0xef:
    case 0xbb:
    case 0xbf:
      return true;
    default:
      return false;
  }
}

const brace = '{'.charCodeAt(0);
const streamStarts: readonly string[] = [':', 'data:', 'event:', 'id:', 'retry:'];
const longestStart = Math.max(...streamStarts.map(({ length }) => length));
