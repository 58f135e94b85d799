import { inflateSync } from 'node:zlib';

export interface PdfSize {
  readonly pages: number;
  /** Approximate number of text characters. */
  readonly chars: number;
}

/** Reads only this much of a document and extrapolates the rest. */
const sampledBytesMax = 512 * 1024;
const streamBytesMax = 1024 * 1024;
const inflatedBytesMax = 4 * 1024 * 1024;

/** Pages and characters of a base64 PDF; one page if its pages can't be identified. Decompressing takes milliseconds. */
export function pdfSizeOf(base64: string, { unpacks = true } = {}): PdfSize {
  const document = Buffer.from(base64.slice(0, (sampledBytesMax * 4) / 3), 'base64');
  const share = Math.max(1, (base64.length * 3) / 4 / Math.max(1, document.length));
  const text = document.toString('latin1');
  const pages = text.match(/\/Type\s?\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return {
    pages: Math.max(1, Math.round(pages * share)),
    chars: unpacks ? share * countChars(document, text) : 0,
  };
}

function countChars(document: Buffer, text: string): number {
  let chars = 0;
  let inflated = 0;
  let end = 0;
  for (let at = text.indexOf('stream'); at >= 0; at = text.indexOf('stream', end + 9)) {
    end = text.indexOf('endstream', at);
    if (end < 0 || inflated > inflatedBytesMax) break;
    if (text.slice(Math.max(0, at - dictionaryChars), at).includes('/Image')) continue;
    const start = at + (text[at + 6] === '\r' ? 8 : 7);
    const page = inflateStream(document.subarray(start, end));
    inflated += page?.length ?? streamBytesMax;
    chars += page === undefined ? 0 : countTextChars(page);
  }
  return chars;
}

/** The dictionary of a stream comes right before it. */
const dictionaryChars = 200;

/** Undefined if it inflates to too much; uncompressed data is returned as it is. */
function inflateStream(stream: Buffer): string | undefined {
  try {
    return inflateSync(stream, { maxOutputLength: streamBytesMax }).toString('latin1');
  } catch (cause) {
    return cause instanceof RangeError ? undefined : stream.toString('latin1');
  }
}

/** Text is between the operators BT and ET. */
function countTextChars(page: string): number {
  let chars = 0;
  let end = 0;
  for (let at = page.indexOf('BT'); at >= 0; at = page.indexOf('BT', end)) {
    end = page.indexOf('ET', at);
    if (end < 0) break;
    chars += countStringChars(page.slice(at, end));
  }
  return chars;
}

/** Literal strings have one byte per character, hexadecimal ones mostly two. */
function countStringChars(block: string): number {
  let chars = 0;
  let open = '';
  for (const char of block) {
    if (open === '' && (char === '(' || char === '<')) open = char;
    else if ((open === '(' && char === ')') || (open === '<' && char === '>')) open = '';
    else if (open !== '') chars += open === '(' ? 1 : 1 / 4;
  }
  return chars;
}
