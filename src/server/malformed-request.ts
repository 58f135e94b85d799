import type { Socket } from 'node:net';
import type { HttpProtocolError } from '../http/protocol-error.ts';
import { reasonPhraseOf } from '../http/response-head.ts';
import { GatewayError } from '../kernel/errors.ts';
import { errorEnvelope, errorHeaders } from './respond.ts';

/** Responds on the raw connection to bytes that are not a valid HTTP request, and returns the error. */
export function rejectMalformed(fault: HttpProtocolError, connection: Socket, id: string): GatewayError {
  const error = toGatewayError(fault);
  const body = JSON.stringify(errorEnvelope(error, id));
  const call = { id, path: '', query: '', clientAddress: '', cors: [] };
  const headers = [
    ...['content-type', 'application/json; charset=utf-8', 'content-length', String(Buffer.byteLength(body))],
    ...errorHeaders(error, call),
    ...['connection', 'close'],
  ];
  const lines = headers.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  const status = `HTTP/1.1 ${error.status} ${reasonPhraseOf(error.status)}\r\n`;
  connection.end(`${status}${lines.join('')}\r\n${body}`, () => connection.destroy());
  return error;
}

function toGatewayError(fault: HttpProtocolError): GatewayError {
  const [message, status] = protocolErrorMessages[fault.kind];
  return new GatewayError('invalid_request', message, { status, cause: fault });
}

const protocolErrorMessages: Readonly<Record<HttpProtocolError['kind'], readonly [string, number]>> = {
  malformed: ['malformed HTTP request', 400],
  too_late: ['the request did not arrive in time', 408],
  expectation: ['unsupported Expect header; only 100-continue is supported', 417],
  too_large: ['the request headers are too large or too many', 431],
  tiny_chunks: ['the request body has too many small chunks; send larger ones', 400],
};
