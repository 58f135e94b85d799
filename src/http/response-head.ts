import { fieldLine, fieldLines } from './request-head.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** How an answer's body is told from what follows it on the connection. */
export type BodyFraming = 'length' | 'chunks' | 'end' | 'none';

/** What is known of the request that is answered. */
interface ResponseContext {
  readonly isHeadRequest: boolean;
  /** HTTP/1.0, which knows no chunks. */
  readonly isHttp10: boolean;
  /** Whether both sides would keep the connection. */
  readonly keepsAlive: boolean;
  /** The time, as headers say it. */
  readonly date: string;
  readonly idleSeconds: number;
}

export interface ResponseHead {
  readonly text: string;
  readonly framing: BodyFraming;
  readonly keepsAlive: boolean;
}

/** Lists of so many headers, as lines; longer ones are rare. */
const headerLinePatterns: RegExp[] = [];
const headerLinePatternsMax = 64;

/** A line too many would be one that a value has brought along. */
function areHeaderLines(text: string, count: number): boolean {
  if (count > headerLinePatternsMax) return fieldLines.test(text) && text.split('\r\n').length === count + 1;
  headerLinePatterns[count] ??= new RegExp(`^(?:${fieldLine}){${count}}$`);
  return headerLinePatterns[count].test(text);
}

/** The lines of an answer's head, with those that the connection needs. Refuses what would end a line early. */
export function buildResponseHead(
  status: number,
  headers: readonly string[],
  responseContext: ResponseContext,
): ResponseHead {
  let text = '';
  let hasLength = false;
  let closes = !responseContext.keepsAlive;
  let saysConnection = false;
  let saysDate = false;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    text += `${name}: ${value}\r\n`;
    if (name === 'content-length') hasLength = true;
    else if (name === 'date') saysDate = true;
    else if (name === 'connection') {
      saysConnection = true;
      closes ||= value === 'close';
    }
  }
  if (!areHeaderLines(text, headers.length / 2)) throw new Error('a header that no answer can carry');
  const framing = bodyFramingOf(status, hasLength, responseContext);
  if (framing === 'end') closes = true;
  if (!saysDate) text += `date: ${responseContext.date}\r\n`;
  if (framing === 'chunks') text += 'transfer-encoding: chunked\r\n';
  if (!saysConnection)
    text += closes
      ? 'connection: close\r\n'
      : `connection: keep-alive\r\nkeep-alive: timeout=${responseContext.idleSeconds}\r\n`;
  return {
    text: `HTTP/1.1 ${status} ${reasonPhraseOf(status)}\r\n${text}\r\n`,
    framing,
    keepsAlive: !closes,
  };
}

/** What a status is called. */
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
