import { HttpProtocolError, malformedRequest } from './protocol-error.ts';

/** All that a request says before its body. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, as they came. */
  readonly headers: string[];
  /** How many bytes its body has; undefined where it comes in chunks. */
  readonly contentLength: number | undefined;
  /** Whether the client would send another request afterwards. */
  readonly keepsAlive: boolean;
  /** HTTP/1.0, which knows no chunks. */
  readonly isHttp10: boolean;
  /** Whether the client sends its body only after it was told to go on. */
  readonly awaitsContinue: boolean;
}

/** RFC 9110, 5.6.2. */
export const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
/** A path, an absolute address, or `*`: RFC 9112, 3.2. */
const target = '(?:(?:[A-Za-z]+://|/)[\\x21-\\x7e]*|\\*)';
export const fieldLine = `${token}:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n`;
const headPattern = new RegExp(`^${token} ${target} HTTP/1\\.[01]\\r\\n(?:${fieldLine})*$`);
export const fieldLines = new RegExp(`^(?:${fieldLine})*$`);
/** Other servers allow 100; clients send 40, and proxies add some. */
const fieldsMax = 200;
const contentLengthValue = /^\d{1,15}$/;
/** Other programs don't take a tab for a blank here. */
const chunkedCoding = /\r\ntransfer-encoding: *chunked *\r\n/i;

/**
 * Reads a head, each of its lines with its end, without the empty one. What two programs could read in two ways is
 * refused: lines that are folded or end otherwise, two lengths, a length beside chunks, codings other than `chunked`.
 */
export function parseHead(text: string): RequestHead {
  if (!headPattern.test(text)) throw malformedRequest('no request');
  const lineEnd = text.indexOf('\r\n');
  const methodEnd = text.indexOf(' ');
  const headers = splitFields(text, lineEnd + 2);
  if (headers.length > fieldsMax * 2) throw new HttpProtocolError('too_large', 'too many fields');
  const framingHeaders = new FramingHeaders(text.charAt(lineEnd - 1) === '0');
  for (let at = 0; at + 1 < headers.length; at += 2)
    framingHeaders.add(headers[at] ?? '', headers[at + 1] ?? '');
  const { length: contentLength, keepsAlive, isHttp10, awaitsContinue } = framingHeaders;
  if (contentLength === undefined && !chunkedCoding.test(text))
    throw malformedRequest('a coding in odd blanks');
  return {
    method: text.slice(0, methodEnd),
    target: text.slice(methodEnd + 1, lineEnd - ' HTTP/1.1'.length),
    headers,
    contentLength,
    keepsAlive,
    isHttp10,
    awaitsContinue,
  };
}

/** Names and values in turn, of lines that stand by themselves. */
export function parseFields(text: string): string[] {
  if (!fieldLines.test(text)) throw malformedRequest('no field line');
  return splitFields(text, 0);
}

/** From a place on, without the blanks around values. */
function splitFields(text: string, from: number): string[] {
  const fields: string[] = [];
  for (let at = from; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    let first = colon + 1;
    let last = end;
    while (first < last && isBlank(text.charCodeAt(first))) first++;
    while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
    fields.push(text.slice(at, colon), text.slice(first, last));
    at = end + 2;
  }
  return fields;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Names come in any case, most of them in lower. */
function hasName(name: string, lower: string): boolean {
  return name === lower || name.toLowerCase() === lower;
}

/** What a request's headers say of where it ends, and of the connection (RFC 9112, 6 and 9). */
class FramingHeaders {
  readonly isHttp10: boolean;
  awaitsContinue = false;
  #length: number | undefined;
  #isChunked = false;
  #asksToClose = false;
  #asksToKeepAlive = false;

  constructor(isOld: boolean) {
    this.isHttp10 = isOld;
  }

  add(name: string, value: string): void {
    // Most headers are told from these by how long their names are.
    switch (name.length) {
      case 6:
        if (hasName(name, 'expect')) this.#readExpect(value);
        return;
      case 10:
        if (hasName(name, 'connection')) this.#readConnection(value);
        return;
      case 14:
        if (hasName(name, 'content-length')) this.#readContentLength(value);
        return;
      case 17:
        if (hasName(name, 'transfer-encoding')) this.#readTransferEncoding(value);
        return;
    }
  }

  get length(): number | undefined {
    if (!this.#isChunked) return this.#length ?? 0;
    if (this.#length !== undefined) throw malformedRequest('a length beside chunks');
    return undefined;
  }

  get keepsAlive(): boolean {
    return !this.#asksToClose && (!this.isHttp10 || this.#asksToKeepAlive);
  }

  #readExpect(value: string): void {
    if (value.toLowerCase() !== '100-continue')
      throw new HttpProtocolError('expectation', 'an expectation that nobody can meet');
    this.awaitsContinue = !this.isHttp10;
  }

  #readConnection(value: string): void {
    for (const wish of value === 'keep-alive' ? [value] : value.toLowerCase().split(',')) {
      const word = wish.trim();
      this.#asksToClose ||= word === 'close';
      this.#asksToKeepAlive ||= word === 'keep-alive';
    }
  }

  #readContentLength(value: string): void {
    if (this.#length !== undefined) throw malformedRequest('two lengths');
    if (!contentLengthValue.test(value)) throw malformedRequest('a length that is no number');
    this.#length = Number(value);
  }

  #readTransferEncoding(value: string): void {
    if (this.#isChunked || this.isHttp10 || value.toLowerCase() !== 'chunked')
      throw malformedRequest('a coding of the connection that is not chunked');
    this.#isChunked = true;
  }
}
