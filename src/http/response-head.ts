import { fieldLine, fieldLines } from './request-head.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** How an answer's body is told from what follows it on the connection. */
export type Delimiter = 'length' | 'chunks' | 'end' | 'none';

/** What is known of the request that is answered. */
interface Asked {
  readonly isHead: boolean;
  /** HTTP/1.0, which knows no chunks. */
  readonly isOld: boolean;
  /** Whether both sides would keep the connection. */
  readonly keepsAlive: boolean;
  /** The time, as headers say it. */
  readonly date: string;
  readonly idleSeconds: number;
}

export interface ResponseHead {
  readonly text: string;
  readonly delimiter: Delimiter;
  readonly keepsAlive: boolean;
}

/** Lists of so many headers, as lines; longer ones are rare. */
const lines: RegExp[] = [];
const linesMax = 64;

/** A line too many would be one that a value has brought along. */
function areLines(text: string, count: number): boolean {
  if (count > linesMax) return fieldLines.test(text) && text.split('\r\n').length === count + 1;
  lines[count] ??= new RegExp(`^(?:${fieldLine}){${count}}$`);
  return lines[count].test(text);
}

/** The lines of an answer's head, with those that the connection needs. Refuses what would end a line early. */
export function responseHead(status: number, headers: readonly string[], asked: Asked): ResponseHead {
  let text = '';
  let hasLength = false;
  let closes = !asked.keepsAlive;
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
  if (!areLines(text, headers.length / 2)) throw new Error('a header that no answer can carry');
  const delimiter = delimiterOf(status, hasLength, asked);
  if (delimiter === 'end') closes = true;
  if (!saysDate) text += `date: ${asked.date}\r\n`;
  if (delimiter === 'chunks') text += 'transfer-encoding: chunked\r\n';
  if (!saysConnection)
    text += closes
      ? 'connection: close\r\n'
      : `connection: keep-alive\r\nkeep-alive: timeout=${asked.idleSeconds}\r\n`;
  return { text: `HTTP/1.1 ${status} ${reasonOf(status)}\r\n${text}\r\n`, delimiter, keepsAlive: !closes };
}

/** What a status is called. */
export function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown';
}

function delimiterOf(status: number, hasLength: boolean, { isHead, isOld }: Asked): Delimiter {
  if (isHead || status === 204 || status === 304) return 'none';
  if (hasLength) return 'length';
  return isOld ? 'end' : 'chunks';
}
