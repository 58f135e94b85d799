import type {
  OutgoingMessage,
  OutgoingRequest,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from './rpc-message.ts';

/** A message of the server that is no answer. */
export type ServerMessage = RpcRequest | RpcNotification;

export interface ExchangeOptions {
  /** Aborting it ends the exchange; the caller tells the server. */
  readonly signal: AbortSignal;
  /** Besides those of every request; only over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A message that belongs to this request. */
  onMessage(message: ServerMessage): void;
}

export interface Exchange {
  readonly response: RpcResponse;
  /** The header of the HTTP response; undefined over other transports. */
  header(name: string): string | undefined;
}

export interface ListenOptions extends Omit<ExchangeOptions, 'onMessage'> {
  onMessage(message: ServerMessage): void;
  /** The server sends messages from now on. */
  onOpen(): void;
}

/** Carries messages to a server and back. Failures are `RpcError`, `HttpFailure` or errors of the gateway. */
export interface Transport {
  /** Whether each request has a stream of its own, whose end cancels it. */
  readonly hasRequestStreams: boolean;
  /** Another one after the server, and with it its session, was lost. */
  readonly generation: number;
  exchange(request: OutgoingRequest, options: ExchangeOptions): Promise<Exchange>;
  /** A notification, or the answer to a request of the server. */
  send(message: OutgoingMessage, options: Omit<ExchangeOptions, 'onMessage'>): Promise<void>;
  /** Messages that belong to no request. Resolves when the server ends the stream, or has none. */
  listen(options: ListenOptions): Promise<void>;
  /** Ends the session that these headers name. */
  end(headers: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}
