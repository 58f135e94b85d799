import type { Socket } from 'node:net';
import type { HttpProtocolError } from './protocol-error.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

/** The reason why a connection is waiting. */
export type ConnectionWait =
  /** The next request has not begun. */
  | 'request'
  /** A request head is incomplete. */
  | 'head'
  /** A request body is incomplete. */
  | 'body'
  /** The gateway has not finished the response. */
  | 'response'
  /** The client does not read the response. */
  | 'drain'
  /** The connection closes after the last bytes. */
  | 'close'
  /** The connection speaks another protocol. */
  | 'upgraded';

/** A client connection as the server sees it. Weir's own parser and `node:http` each implement it. */
export interface ServerConnection {
  /** Whether no request is being read or answered, and the last response was sent completely. */
  readonly isIdle: boolean;
  /** Bytes of responses that the client has not read yet. */
  readonly unsentBytes: number;
  /** Called once a second by the server. */
  wait(): ConnectionWait;
  /** When the current wait began, in the server's seconds. */
  readonly waitingSince: number;
  /** Closes the connection at once. */
  destroy(): void;
  /** Closes the connection with an error response, or without one if a response has begun. */
  reject(error: HttpProtocolError): void;
}

/** The server as its connections see it. */
export interface ConnectionContext {
  readonly headBytesMax: number;
  /** Whether a GET request for this target, which asks for a WebSocket, may get one. Undefined if none may. */
  readonly mayUpgrade?: ((target: string) => boolean) | undefined;
  /** How long a connection may wait for its next request. */
  readonly idleSeconds: number;
  /** Whether connections stay open after a response. */
  readonly keepsAlive: boolean;
  /** A clock that is updated once a second. */
  readonly nowSeconds: number;
  /** The value of the `date` header. */
  readonly date: string;
  serve(request: HttpRequest, response: HttpResponse): void;
  /** Writes an error response to the socket and ends it. */
  reject(error: HttpProtocolError, socket: Socket): void;
  onClose(connection: ServerConnection): void;
}
