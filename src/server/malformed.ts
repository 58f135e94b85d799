import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../kernel/errors.ts';
import { STATUS_CODES } from './node-http.ts';
import { errorEnvelope, errorHeaders } from './respond.ts';

/** Answers what is no request that the server could read, on the bare connection. */
export function refuseMalformed(failure: Error, connection: Duplex, id: string): void {
  // On a connection that has carried an answer, this one could stand in the middle of another.
  const fresh = connection instanceof Socket && connection.writable && connection.bytesWritten === 0;
  if (!fresh || codeOf(failure) === 'ECONNRESET') {
    connection.destroy();
    return;
  }
  const error = worded(failure);
  const body = JSON.stringify(errorEnvelope(error, id));
  const call = { id, path: '', query: '', cors: [] };
  const headers = [
    ...['content-type', 'application/json; charset=utf-8', 'content-length', String(Buffer.byteLength(body))],
    ...errorHeaders(error, call),
    ...['connection', 'close'],
  ];
  const lines = headers.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n`;
  connection.end(`${status}${lines.join('')}\r\n${body}`, () => connection.destroy());
}

function worded(failure: Error): GatewayError {
  switch (codeOf(failure)) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('invalid_request', 'the headers are too large', {
        status: 431,
        cause: failure,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('invalid_request', 'the request did not come in time', {
        status: 408,
        cause: failure,
      });
    default:
      return new GatewayError('invalid_request', 'this is not a well-formed HTTP request', {
        cause: failure,
      });
  }
}

function codeOf(failure: Error): unknown {
  return 'code' in failure ? failure.code : undefined;
}
