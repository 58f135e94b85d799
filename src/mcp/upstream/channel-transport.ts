import { ignoreErrors } from '../../lib/ignore-errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';
import { RpcError } from './rpc-error.ts';
import {
  type OutgoingMessage,
  type OutgoingRequest,
  type RpcId,
  type RpcMessage,
  type RpcResponse,
  readMessages,
  refusal,
} from './rpc-message.ts';
import { failedError, unreachableError } from './server-errors.ts';
import type { Exchange, ExchangeOptions, ListenOptions, ServerMessage, Transport } from './transport.ts';

/** One connection for all messages of a server. */
export interface Channel {
  /** Resolves when the message is on its way. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ChannelEvents {
  /** One message, or an array of them. */
  onBytes(bytes: Uint8Array): void;
  /** No message follows. */
  onClose(error: Error): void;
}

interface OpenRequest {
  readonly request: OutgoingRequest;
  readonly channel: Channel;
  readonly options: ExchangeOptions;
  readonly resolve: (response: RpcResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** A server behind one channel: a program, or HTTP with one stream of events as revision 2024-11-05 has it. */
export class ChannelTransport implements Transport {
  readonly hasRequestStreams = false;
  readonly #server: string;
  readonly #open: (events: ChannelEvents) => Promise<Channel>;
  readonly #requests = new Map<RpcId, OpenRequest>();
  readonly #listeners = new Set<(message: ServerMessage) => void>();
  #channel: Promise<Channel> | undefined;
  #generation = 0;
  #strays = 0;

  constructor(server: string, open: (events: ChannelEvents) => Promise<Channel>) {
    this.#server = server;
    this.#open = open;
  }

  get generation(): number {
    return this.#generation;
  }

  async exchange(request: OutgoingRequest, options: ExchangeOptions): Promise<Exchange> {
    const { signal } = options;
    signal.throwIfAborted();
    const channel = await this.#connect();
    const { promise, resolve, reject } = Promise.withResolvers<RpcResponse>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#requests.set(request.id, { request, channel, options, resolve, reject });
    try {
      await Promise.race([channel.send(request, signal), promise]);
      return { response: await promise, header: () => undefined };
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#requests.delete(request.id);
    }
  }

  async send(message: OutgoingMessage, { signal }: Omit<ExchangeOptions, 'onMessage'>): Promise<void> {
    const channel = await this.#connect();
    await channel.send(message, signal);
  }

  async listen({ signal, onMessage, onOpen }: ListenOptions): Promise<void> {
    this.#listeners.add(onMessage);
    onOpen();
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await promise;
    this.#listeners.delete(onMessage);
  }

  async end(): Promise<void> {}

  async close(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    this.#generation++;
    await channel?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  #connect(): Promise<Channel> {
    this.#channel ??= this.#connectOnce();
    return this.#channel;
  }

  #connectOnce(): Promise<Channel> {
    let channel: Channel | undefined;
    const lose = () => {
      if (this.#channel !== opening) return;
      this.#channel = undefined;
      this.#generation++;
    };
    const opening: Promise<Channel> = this.#open({
      onBytes: (bytes) => this.#receive(bytes),
      onClose: (error) => {
        lose();
        // Those of a channel that was opened since go on.
        for (const request of this.#requests.values()) if (request.channel === channel) request.reject(error);
      },
    });
    opening.then((open) => {
      channel = open;
    }, lose);
    return opening;
  }

  #receive(bytes: Uint8Array): void {
    try {
      for (const message of readMessages(this.#server, bytes)) this.#dispatch(message);
    } catch (error) {
      // What the server sends can't be trusted after this.
      for (const { reject } of this.#requests.values()) reject(error);
      ignoreErrors(this.close());
    }
  }

  #dispatch(message: RpcMessage): void {
    if (message.kind === 'response' || message.kind === 'failure') {
      const open = this.#requests.get(message.id ?? '');
      if (open === undefined) this.#countStray();
      else if (message.kind === 'response') open.resolve(message);
      else open.reject(new RpcError(this.#server, message.error));
      if (open !== undefined) this.#strays = 0;
      return;
    }
    const owner = this.#ownerOf(message);
    if (owner !== undefined) {
      owner.options.onMessage(message);
      return;
    }
    this.#countStray();
    for (const listener of this.#listeners) listener(message);
    if (message.kind === 'request' && this.#listeners.size === 0)
      ignoreErrors(
        this.send(refusal(message.id, -32601, 'no request is open that this one could belong to'), {
          signal: AbortSignal.timeout(limits.farewellMs),
        }),
      );
  }

  /** The request that a message belongs to, as far as the message says so. */
  #ownerOf({ kind, params }: ServerMessage): OpenRequest | undefined {
    const { _meta: meta, progressToken } = params;
    const subscription = isJsonObject(meta) ? meta['io.modelcontextprotocol/subscriptionId'] : undefined;
    const named = progressToken ?? subscription;
    if (typeof named === 'number' || typeof named === 'string')
      return this.#requests.get(named) ?? this.#requests.get(Number(named));
    if (kind === 'notification') return undefined;
    const [only, ...others] = [...this.#requests.values()].filter(({ request }) =>
      maySuspend(request.method),
    );
    return others.length === 0 ? only : undefined;
  }

  #countStray(): void {
    if (++this.#strays > limits.strayMessagesMax)
      throw failedError(
        this.#server,
        `sent more than ${limits.strayMessagesMax} messages that belong to no request`,
      );
  }
}

/** Methods whose calls may ask the client for something. */
export function maySuspend(method: string): boolean {
  return method === 'tools/call' || method === 'prompts/get' || method === 'resources/read';
}

export function closedError(server: string, why: string): Error {
  return unreachableError(server, `${why}; whether it did what was asked is unknown`);
}
