import { GatewayError, providerError } from '../kernel/errors.ts';
import type { Answer, ReplyEvent, StreamError } from '../kernel/message.ts';
import { AnswerBuilder } from '../kernel/reply/answer-events.ts';
import type { ReplyEncoder } from '../kernel/wire-format.ts';
import type { JsonObject } from '../lib/json.ts';

/** Writes an unstreamed response: collects the events and writes once at the end. */
export class JsonReplyEncoder implements ReplyEncoder {
  readonly #folding = new AnswerBuilder();
  readonly #encodeBody: (answer: Answer) => JsonObject;
  #error: StreamError | undefined;

  constructor(bodyOf: (answer: Answer) => JsonObject) {
    this.#encodeBody = bodyOf;
  }

  push(event: ReplyEvent): undefined {
    if (event.type === 'error') this.#error ??= event.error;
    this.#folding.push(event);
  }

  end(): Uint8Array {
    if (this.#error !== undefined) throw providerError(this.#error);
    const answer = this.#folding.answer();
    if (answer === undefined)
      throw new GatewayError('upstream_broken', "the provider's response contains no message");
    return Buffer.from(JSON.stringify(this.#encodeBody(answer)));
  }
}
