import type { HeaderList } from '../../lib/headers.ts';
import { GatewayError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { ReplyEvent } from '../message.ts';
import { redactBytes, redactErrorEvent } from '../redact-secrets.ts';
import type { Framing, Interest, ProviderFormat, ReplyDecoder, UnreadContent } from '../wire-format.ts';
import type { Source } from './source.ts';

/** The HTTP response of a provider. */
export interface ProviderResponse {
  /** Whether a module chose the target: then an answer that breaks off ends with an error event. */
  readonly isRouted?: true;
  readonly wire: ProviderFormat;
  readonly framing: Framing;
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Source<Uint8Array>;
  /** Credentials to redact from errors. */
  readonly secrets?: readonly string[];
  /** Whether the gateway asked for usage that the client didn't ask for. */
  readonly usageRequested?: true;
  /** The decoder, if the format alone doesn't determine it. */
  readonly decoder?: (interest: Interest) => ReplyDecoder;
}

/** Decodes a provider's bytes as far as readers need it. */
export class ProviderResponseReader {
  readonly response: ProviderResponse;
  interest: Interest = 'milestones';
  #decoder: ReplyDecoder | undefined;
  #ended = false;
  #bytes = 0;
  #contentLength = 0;

  constructor(providerResponse: ProviderResponse) {
    this.response = providerResponse;
  }

  /** Content that passed without being decoded for a reader. */
  get unread(): UnreadContent | undefined {
    return this.#decoder?.unread;
  }

  read(chunk: Uint8Array): readonly ReplyEvent[] {
    const { wire, framing, decoder } = this.response;
    this.#decoder ??= decoder?.(this.interest) ?? wire.replyDecoder(framing, this.interest);
    if (this.interest === 'milestones') return this.#redactErrors(this.#decoder.push(chunk));
    this.#bytes += chunk.byteLength;
    this.#enforceLimit(
      this.#bytes,
      framing === 'json' ? limits.readAnswerBytesMax : limits.readStreamBytesMax,
    );
    const events = this.#decoder.push(chunk);
    for (const event of events) this.#contentLength += contentLength(event);
    this.#enforceLimit(this.#contentLength, limits.readAnswerBytesMax);
    return this.#redactErrors(events);
  }

  /** Limits the bytes of an answer that is decoded, since its reader may keep all of it. */
  #enforceLimit(size: number, max: number): void {
    if (size <= max) return;
    this.#ended = true;
    throw new GatewayError('upstream_broken', `the provider response is larger than ${max} bytes`);
  }

  /** Bytes that contain an error, without the credentials that it may quote. */
  withoutSecrets(bytes: Uint8Array): Uint8Array {
    return redactBytes(bytes, this.response.secrets ?? []);
  }

  /** The last events at the end of the bytes; once, and none if nothing was decoded. */
  end(): readonly ReplyEvent[] {
    if (this.#decoder === undefined || this.#ended) return [];
    this.#ended = true;
    return this.#redactErrors(this.#decoder.end());
  }

  #redactErrors(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
    if (!events.some(isError)) return events;
    const { secrets = [] } = this.response;
    return events.map((event) => (event.type === 'error' ? redactErrorEvent(event, secrets) : event));
  }

  /** The error if the bytes ended before the answer was complete. */
  get truncationError(): GatewayError | undefined {
    return this.#decoder === undefined || this.#decoder.finished
      ? undefined
      : new GatewayError(
          'upstream_broken',
          'the provider closed the stream before the response was complete: terminated',
          this.response.isRouted === true ? {} : { isInterruption: true },
        );
  }
}

/** The length of an event's content, in characters. */
function contentLength(event: ReplyEvent): number {
  if (event.type === 'content_block_start') return JSON.stringify(event.content_block).length;
  if (event.type !== 'content_block_delta') return 0;
  const { delta } = event;
  switch (delta.type) {
    case 'text_delta':
      return delta.text.length;
    case 'input_json_delta':
      return delta.partial_json.length;
    case 'thinking_delta':
      return delta.thinking.length;
    default:
      return JSON.stringify(delta).length;
  }
}

function isError({ type }: ReplyEvent): boolean {
  return type === 'error';
}
