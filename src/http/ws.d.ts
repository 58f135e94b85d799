/** The parts of the package `ws` that Weir uses; it has no types of its own. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { ClientRequest, IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export class WebSocket extends EventEmitter {
    constructor(address: string, protocols?: readonly string[], options?: ClientOptions);
    static readonly OPEN: 1;
    readonly readyState: number;
    readonly protocol: string;
    readonly bufferedAmount: number;
    pause(): void;
    resume(): void;
    send(data: string | Uint8Array, options: SendOptions, then?: (error?: Error | null) => void): void;
    ping(data?: string | Uint8Array): void;
    pong(data?: string | Uint8Array): void;
    close(code?: number, reason?: string): void;
    /** Closes the connection without a closing handshake. */
    terminate(): void;
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this;
    on(event: 'ping' | 'pong', listener: (data: Buffer) => void): this;
    on(event: 'close', listener: (code: number, reason: Buffer) => void): this;
    on(event: 'error', listener: (error: Error & { readonly code?: string }) => void): this;
    on(event: 'open', listener: () => void): this;
    on(
      event: 'unexpected-response',
      listener: (request: ClientRequest, response: IncomingMessage) => void,
    ): this;
  }

  interface SendOptions {
    readonly binary?: boolean;
    readonly fin?: boolean;
  }

  interface ClientOptions {
    readonly headers?: Readonly<Record<string, string>>;
    readonly origin?: string;
    readonly handshakeTimeout?: number;
    readonly closeTimeout?: number;
    readonly maxPayload?: number;
    readonly perMessageDeflate?: boolean;
    readonly followRedirects?: boolean;
    readonly createConnection?: (
      options: unknown,
      then: (error: Error | null, socket?: Duplex) => void,
    ) => void;
  }

  interface ServerOptions {
    readonly noServer: true;
    readonly clientTracking: false;
    readonly perMessageDeflate: false;
    readonly autoPong: false;
    readonly maxPayload: number;
    readonly maxFragments: number;
    readonly closeTimeout: number;
    handleProtocols(offered: ReadonlySet<string>, request: UpgradeRequest): string | false;
  }

  /** What is read of the request. */
  interface UpgradeRequest {
    readonly method: string;
    readonly headers: Readonly<Record<string, string | undefined>>;
  }

  export class WebSocketServer<Request extends UpgradeRequest> extends EventEmitter {
    constructor(options: ServerOptions);
    handleUpgrade(request: Request, socket: Duplex, head: Buffer, then: (socket: WebSocket) => void): void;
    on(event: 'headers', listener: (lines: string[], request: Request) => void): this;
  }
}
