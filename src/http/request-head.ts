import { HttpProtocolError, malformedRequest } from './protocol-error.ts';

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** Alternating names and values, as received. */
  readonly headers: string[];
  /** The length of the body; undefined for a chunked body. */
  readonly contentLength: number | undefined;
  /** Whether the client accepts that the connection stays open. */
  readonly keepsAlive: boolean;
  /** HTTP/1.0 has no chunked bodies. */
  readonly isHttp10: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue: boolean;
}

/** RFC 9110, 5.6.2. */
export const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
/** A path, an absolute URL or `*` (RFC 9112, 3.2). */
const target = '(?:(?:[A-Za-z]+://|/)[\\x21-\\x7e]*|\\*)';
const targetPattern = new RegExp(`^${target}$`);
export const fieldLine = `${token}:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n`;
const headPattern = new RegExp(`^${token} ${target} HTTP/1\\.[01]\\r\\n(?:${fieldLine})*$`);
export const fieldLines = new RegExp(`^(?:${fieldLine})*$`);
/** Other servers allow 100. Clients send about 40, and proxies add some. */
const fieldsMax = 200;
const contentLengthValue = /^\d{1,15}$/;
/** Some servers do not accept a tab before or after `chunked`. */
const chunkedCoding = /\r\ntransfer-encoding: *chunked *\r\n/i;
/** Fields about framing, routing or content must not follow the body (RFC 9110, 6.5.1). */
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

/**
 * Parses the lines of a head without the empty line. Rejects everything that two programs could read differently: folded lines,
 * other line ends, two lengths, a length beside chunks, and transfer codings other than `chunked`.
 */
export function parseHead(text: string): RequestHead {
  if (!headPattern.test(text)) throw malformedRequest('invalid head');
  const lineEnd = text.indexOf('\r\n');
  const methodEnd = text.indexOf(' ');
  const headers = splitFields(text, lineEnd + 2);
  const isHttp10 = text.charAt(lineEnd - 1) === '0';
  const { contentLength, keepsAlive, awaitsContinue } = new FramingHeaders(headers, isHttp10);
  if (contentLength === undefined && !chunkedCoding.test(text))
    throw malformedRequest('a tab beside the transfer coding');
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

export function isRequestTarget(text: string): boolean {
  return targetPattern.test(text);
}

/** Parses field lines into alternating names and values. */
export function parseFields(text: string): string[] {
  if (!fieldLines.test(text)) throw malformedRequest('invalid field line');
  return splitFields(text, 0);
}

/** Trailers are checked and then dropped. */
export function checkTrailers(fields: readonly string[]): void {
  for (let at = 0; at < fields.length; at += 2)
    if (forbiddenTrailers.has(fields[at]?.toLowerCase() ?? ''))
      throw malformedRequest('a field that must not be a trailer');
}

/** Splits valid field lines into alternating names and values, without the whitespace around values. */
function splitFields(text: string, from: number): string[] {
  const fields: string[] = [];
  for (let at = from; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    let first = colon + 1;
    let last = end;
    while (first < last && isWhitespace(text.charCodeAt(first))) first++;
    while (last > first && isWhitespace(text.charCodeAt(last - 1))) last--;
    fields.push(text.slice(at, colon), text.slice(first, last));
    at = end + 2;
  }
  return fields;
}

function isWhitespace(code: number): boolean {
  return code === 32 || code === 9;
}

/** Most names are lower-case already. */
function hasName(name: string, lower: string): boolean {
  return name === lower || name.toLowerCase() === lower;
}

/** The headers that determine where a request ends and whether the connection stays open (RFC 9112, 6 and 9). */
export class FramingHeaders {
  awaitsContinue = false;
  readonly #isHttp10: boolean;
  #length: number | undefined;
  #isChunked = false;
  #asksToClose = false;
  #asksToKeepAlive = false;

  /** Throws if the headers contradict each other. */
  constructor(headers: readonly string[], isHttp10: boolean) {
    this.#isHttp10 = isHttp10;
    if (headers.length > fieldsMax * 2) throw new HttpProtocolError('too_large', 'too many fields');
    for (let at = 0; at + 1 < headers.length; at += 2) this.#add(headers[at] ?? '', headers[at + 1] ?? '');
    if (this.#isChunked && this.#length !== undefined) throw malformedRequest('a length beside chunks');
  }

  /** Undefined for a chunked body. */
  get contentLength(): number | undefined {
    return this.#isChunked ? undefined : (this.#length ?? 0);
  }

  get keepsAlive(): boolean {
    return !this.#asksToClose && (!this.#isHttp10 || this.#asksToKeepAlive);
  }

  #add(name: string, value: string): void {
    // The length of the name rules out most headers.
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

  #readExpect(value: string): void {
    if (value.toLowerCase() !== '100-continue')
      throw new HttpProtocolError('expectation', 'an unsupported expectation');
    this.awaitsContinue = !this.#isHttp10;
  }

  #readConnection(value: string): void {
    for (const option of value === 'keep-alive' ? [value] : value.toLowerCase().split(',')) {
      const name = option.trim();
      this.#asksToClose ||= name === 'close';
      this.#asksToKeepAlive ||= name === 'keep-alive';
    }
  }

  #readContentLength(value: string): void {
    if (this.#length !== undefined) throw malformedRequest('two lengths');
    if (!contentLengthValue.test(value)) throw malformedRequest('a length that is not a number');
    this.#length = Number(value);
  }

  #readTransferEncoding(value: string): void {
    if (this.#isChunked || this.#isHttp10 || value.toLowerCase() !== 'chunked')
      throw malformedRequest('an unsupported transfer coding');
    this.#isChunked = true;
  }
}
