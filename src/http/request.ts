import type { Socket } from 'node:net';
import { joinedHeaderOf } from '../lib/headers.ts';
import type { RequestBody } from './request-body.ts';
import type { RequestHead } from './request-head.ts';

/** A request whose head is complete. */
export class HttpRequest {
  readonly method: string;
  readonly target: string;
  /** HTTP/1.0 does not require a Host header. */
  readonly isHttp10: boolean;
  /** Alternating names and values, as received. */
  readonly headers: string[];
  readonly body: RequestBody;
  readonly #socket: Pick<Socket, 'remoteAddress'>;

  constructor(
    { method, target, headers, isHttp10 }: Pick<RequestHead, 'method' | 'target' | 'headers' | 'isHttp10'>,
    body: RequestBody,
    socket: Pick<Socket, 'remoteAddress'>,
  ) {
    this.method = method;
    this.target = target;
    this.isHttp10 = isHttp10;
    this.headers = headers;
    this.body = body;
    this.#socket = socket;
  }

  /** The address of the client or its proxy; empty after the connection has closed. */
  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  /** The combined value of all headers with this lower-case name. */
  header(name: string): string | undefined {
    return joinedHeaderOf(this.headers, name);
  }
}
