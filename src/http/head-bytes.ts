import { HttpProtocolError, malformedRequest } from './protocol-error.ts';

const emptyLine = Buffer.from('\r\n\r\n');
/** The start of a request: a method or the first part of one, or the first half of an empty line. */
const requestStart = /^(?:\r$|[!#$%&'*+\-.^_`|~0-9A-Za-z]{0,40}(?: |$))/;
const loneLineFeed = /[^\r]\n/;

/** Skips the empty lines that may precede a request (RFC 9112, 2.2). */
export function skipEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === 13 && bytes[at + 1] === 10) at += 2;
  return at === 0 ? bytes : bytes.subarray(at);
}

/**
 * The length of the head at the start of the bytes, without its empty line, or undefined if the head is incomplete. An earlier
 * call has searched the first `seen` bytes.
 */
export function headLength(bytes: Buffer, seen: number, bytesMax: number): number | undefined {
  const end = bytes.indexOf(emptyLine, Math.max(0, seen - 3));
  if ((end < 0 ? bytes.byteLength : end) > bytesMax)
    throw new HttpProtocolError('too_large', 'the head is too large');
  if (end >= 0) return end + 2;
  // A client of another protocol would wait for a response that never comes.
  if (!requestStart.test(bytes.toString('latin1', 0, 41))) throw malformedRequest('no request line');
  if (loneLineFeed.test(bytes.toString('latin1', Math.max(0, seen - 1))))
    throw malformedRequest('a line ends without a carriage return');
  return undefined;
}
