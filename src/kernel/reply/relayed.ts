import { GatewayError } from '../errors.ts';
import type { HeaderList } from '../headers.ts';
import type { ReplyEvent } from '../message.ts';
import type { Framing, Interest, ProviderFormat, ReplyDecoder, Unread } from '../wire-format.ts';
import type { Source } from './source.ts';

/** An answer as a provider's bytes. */
export interface Raw {
  readonly wire: ProviderFormat;
  readonly framing: Framing;
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Source<Uint8Array>;
  /** The gateway asked for usage that the client didn't ask for. */
  readonly usageAsked?: true;
  /** How its bytes are read, where the format alone doesn't say. */
  readonly decoder?: (interest: Interest) => ReplyDecoder;
}

/** Reads a provider's bytes as far as somebody wants to know what they say. */
export class Relayed {
  readonly raw: Raw;
  interest: Interest = 'milestones';
  #decoder: ReplyDecoder | undefined;
  #over = false;

  constructor(raw: Raw) {
    this.raw = raw;
  }

  /** What went by without having been shown to anybody. */
  get unread(): Unread | undefined {
    return this.#decoder?.unread;
  }

  read(chunk: Uint8Array): readonly ReplyEvent[] {
    const { wire, framing, decoder } = this.raw;
    this.#decoder ??= decoder?.(this.interest) ?? wire.replyDecoder(framing, this.interest);
    return this.#decoder.push(chunk);
  }

  /** What it says when no more comes; once, and nothing where nobody has read it. */
  end(): readonly ReplyEvent[] {
    if (this.#decoder === undefined || this.#over) return [];
    this.#over = true;
    return this.#decoder.end();
  }

  /** To be thrown where its bytes ended before it said that it is over. */
  get cutShort(): GatewayError | undefined {
    return this.#decoder === undefined || this.#decoder.finished
      ? undefined
      : new GatewayError(
          'upstream_broken',
          'the provider ended its answer before it was complete: terminated',
        );
  }
}
