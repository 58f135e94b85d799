import { ChannelTransport } from './channel-transport.ts';
import { HttpTransport, type HttpTransportParts } from './http-transport.ts';
import type { OutgoingMessage, OutgoingRequest } from './rpc-message.ts';
import { HttpFailure } from './server-errors.ts';
import { openSseChannel } from './sse-channel.ts';
import type { Exchange, ExchangeOptions, ListenOptions, Transport } from './transport.ts';

/** HTTP of any revision: a server that knows no POST at its address gets a stream of events. */
export class FallbackTransport implements Transport {
  readonly #parts: HttpTransportParts;
  #current: Transport;

  constructor(parts: HttpTransportParts) {
    this.#parts = parts;
    this.#current = new HttpTransport(parts);
  }

  get hasRequestStreams(): boolean {
    return this.#current.hasRequestStreams;
  }

  get generation(): number {
    return this.#current.generation;
  }

  async exchange(request: OutgoingRequest, options: ExchangeOptions): Promise<Exchange> {
    try {
      return await this.#current.exchange(request, options);
    } catch (error) {
      const isOld = request.method === 'initialize' && this.hasRequestStreams && knowsNoPost(error);
      if (!isOld) throw error;
      const channel = new ChannelTransport(this.#parts.server, (events) =>
        openSseChannel(this.#parts, events),
      );
      // The first error says more where this is no server of that revision either.
      const exchange = await channel.exchange(request, options).catch(async (second: unknown) => {
        await channel.close();
        throw second instanceof HttpFailure ? error : second;
      });
      this.#current = channel;
      return exchange;
    }
  }

  send(message: OutgoingMessage, options: Omit<ExchangeOptions, 'onMessage'>): Promise<void> {
    return this.#current.send(message, options);
  }

  listen(options: ListenOptions): Promise<void> {
    return this.#current.listen(options);
  }

  end(headers: Readonly<Record<string, string>>): Promise<void> {
    return this.#current.end(headers);
  }

  close(): Promise<void> {
    return this.#current.close();
  }
}

function knowsNoPost(error: unknown): boolean {
  return error instanceof HttpFailure && (error.status === 404 || error.status === 405);
}
