import { randomBytes } from 'node:crypto';

/** Nobody outside can know it, and so nobody can write a text that seems to have been cut. */
const truncationMark = randomBytes(16).toString('hex');

/** What stays of a long text: enough to tell what it is. */
const prefixBytesMax = 256;

/**
 * JSON in which long texts are cut down to how they begin and how long they were: a tenth of the work for who wants to
 * know what there is, and not what it says. `longTexts` has where each begins and ends, with its quotes.
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

/** How long a text was, in bytes as it was written, whether it was cut or not. */
export function originalByteLength(text: string): number {
  const cut = text.length < 2 * prefixBytesMax ? text.indexOf(truncationMark) : -1;
  return cut < 0 ? Buffer.byteLength(text) : Number(text.slice(cut + truncationMark.length));
}

/** Behind as many characters as stay, short of the first that a cut might go through. */
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
