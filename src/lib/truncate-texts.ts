import { randomBytes } from 'node:crypto';

/** A random marker: no sender can forge a truncated text. */
const truncationMark = randomBytes(16).toString('hex');

/** The remaining length of a truncated text: enough to recognize it. */
const prefixBytesMax = 256;

/**
 * Truncates long strings in JSON to their start and their length: a tenth of the work for readers that need the
 * structure only. `longTexts` has the start and end of each, with its quotes.
 */
export function truncateLongTexts(bytes: Buffer, longTexts: readonly number[]): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < longTexts.length; at += 2) {
    const { [at]: start = 0, [at + 1]: end = 0 } = longTexts;
    text += `${bytes.toString('utf8', from, prefixEnd(bytes, start + 1))}${truncationMark}${end - start - 2}"`;
    from = end;
  }
  return text + bytes.toString('utf8', from);
}

/** The length of a text in bytes as written, truncated or not. */
export function originalByteLength(text: string): number {
  const cut = text.length < 2 * prefixBytesMax ? text.indexOf(truncationMark) : -1;
  return cut < 0 ? Buffer.byteLength(text) : Number(text.slice(cut + truncationMark.length));
}

/** The cut position: at most this many characters, without splitting a character or an escape. */
function prefixEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < start + prefixBytesMax; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > asciiMax || byte === backslash) break;
  }
  return at;
}

const backslash = 92;
const asciiMax = 126;
