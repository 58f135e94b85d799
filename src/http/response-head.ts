import { STATUS_CODES } from '../lib/node-http.ts';
import { fieldLine, fieldLines } from './request-head.ts';

/** How the end of a response body is marked. `end` closes the connection; `none` is a response without a body. */
export type BodyFraming = 'length' | 'chunks' | 'end' | 'none';

interface ResponseContext {
  readonly isHeadRequest: boolean;
  /** HTTP/1.0 has no chunked bodies. */
  readonly isHttp10: boolean;
  /** Whether client and server both keep the connection open. */
  readonly keepsAlive: boolean;
  /** The value of the `date` header. */
  readonly date: string;
  readonly idleSeconds: number;
}

export interface ResponseHead {
  readonly text: string;
  readonly framing: BodyFraming;
  readonly keepsAlive: boolean;
  /** The headers that the server adds to those of the handler. */
  readonly addedHeaders: readonly string[];
}

/** Patterns by number of headers. Longer lists are rare. */
const headerLinePatterns: RegExp[] = [];
const headerLinePatternsMax = 64;

/** An additional line would come from a line break in a value. */
function areHeaderLines(text: string, count: number): boolean {
  if (count > headerLinePatternsMax) return fieldLines.test(text) && text.split('\r\n').length === count + 1;
  headerLinePatterns[count] ??= new RegExp(`^(?:${fieldLine}){${count}}$`);
  return headerLinePatterns[count].test(text);
}

/** Builds the head of a response and adds the headers of the connection. Throws if a header is invalid. */
export function buildResponseHead(
  status: number,
  headers: readonly string[],
  responseContext: ResponseContext,
): ResponseHead {
  let text = '';
  let hasLength = false;
  let closes = !responseContext.keepsAlive;
  let hasConnection = false;
  let hasDate = false;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    text += `${name}: ${value}\r\n`;
    if (name === 'content-length') hasLength = true;
    else if (name === 'date') hasDate = true;
    else if (name === 'connection') {
      hasConnection = true;
      closes ||= value === 'close';
    }
  }
  if (!areHeaderLines(text, headers.length / 2)) throw new Error('invalid response header');
  const framing = bodyFramingOf(status, hasLength, responseContext);
  if (framing === 'end') closes = true;
  const addedHeaders: string[] = [];
  if (!hasDate) addedHeaders.push('date', responseContext.date);
  if (framing === 'chunks') addedHeaders.push('transfer-encoding', 'chunked');
  if (!hasConnection && closes) addedHeaders.push('connection', 'close');
  else if (!hasConnection)
    addedHeaders.push('connection', 'keep-alive', 'keep-alive', `timeout=${responseContext.idleSeconds}`);
  for (let at = 0; at < addedHeaders.length; at += 2)
    text += `${addedHeaders[at]}: ${addedHeaders[at + 1]}\r\n`;
  return {
    text: `HTTP/1.1 ${status} ${reasonPhraseOf(status)}\r\n${text}\r\n`,
    framing,
    keepsAlive: !closes,
    addedHeaders,
  };
}

export function reasonPhraseOf(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown';
}

function bodyFramingOf(
  status: number,
  hasLength: boolean,
  { isHeadRequest, isHttp10 }: ResponseContext,
): BodyFraming {
  if (isHeadRequest || status === 204 || status === 304) return 'none';
  if (hasLength) return 'length';
  return isHttp10 ? 'end' : 'chunks';
}
