import type { Socket } from 'node:net';
import { joinedHeaderOf } from '../lib/headers.ts';
import type { RequestBody } from './request-body.ts';
import type { RequestHead } from './request-head.ts';

/** A request whose head has come. */
export class HttpRequest {
  readonly method: string;
  readonly target: string;
  /** HTTP/1.0, in which a Host is not required. */
  readonly isHttp10: boolean;
  /** Names and values in turn, as they came. */
  readonly headers: string[];
  readonly body: RequestBody;
  readonly #socket: Pick<Socket, 'remoteAddress'>;

  constructor(
    { method, target, headers, isHttp10 }: RequestHead,
    body: RequestBody,
    peer: Pick<Socket, 'remoteAddress'>,
  ) {
    this.method = method;
    this.target = target;
    this.isHttp10 = isHttp10;
    this.headers = headers;
    this.body = body;
    this.#socket = peer;
  }

  /** Of whoever opened the connection; empty once it is closed. */
  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  /** What is said under this lower-case name, all of it in one line. */
  header(name: string): string | undefined {
    return joinedHeaderOf(this.headers, name);
  }
}
