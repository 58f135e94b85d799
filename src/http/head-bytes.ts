import { HttpProtocolError, malformedRequest } from './protocol-error.ts';

const emptyLine = Buffer.from('\r\n\r\n');
/** How a request begins: a method or a part of one, perhaps after an empty line that hasn't ended. */
const requestStart = /^(?:\r$|[!#$%&'*+\-.^_`|~0-9A-Za-z]{0,40}(?: |$))/;
const loneLineFeed = /[^\r]\n/;

/** Empty lines before a request are none of it (RFC 9112, 2.2). */
export function skipEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === 13 && bytes[at + 1] === 10) at += 2;
  return at === 0 ? bytes : bytes.subarray(at);
}

/**
 * How long the head is that these bytes begin with, without its empty line; undefined while that hasn't come. Up to `seen`
 * they were looked at before.
 */
export function headLength(bytes: Buffer, seen: number, bytesMax: number): number | undefined {
  const end = bytes.indexOf(emptyLine, Math.max(0, seen - 3));
  if ((end < 0 ? bytes.byteLength : end) > bytesMax)
    throw new HttpProtocolError('too_large', 'a head that is too large');
  if (end >= 0) return end + 2;
  // A client that speaks something else would wait for an answer, and we for the rest of its request.
  if (!requestStart.test(bytes.toString('latin1', 0, 41))) throw malformedRequest('no request line');
  if (loneLineFeed.test(bytes.toString('latin1', Math.max(0, seen - 1))))
    throw malformedRequest('a lone line feed');
  return undefined;
}
