import type { ClientRequest } from '../../kernel/client-request.ts';
import type { ReplyEvent } from '../../kernel/message.ts';
import { AnswerBuilder, answerToEvents } from '../../kernel/reply/answer-events.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';

/** An answer with placeholders in place of redacted values, as one JSON document in the client's format. */
export class MaskedAnswer {
  readonly #builder = new AnswerBuilder();
  /** Created while the call still has its request. */
  readonly #encoder: ReplyEncoder;

  constructor(clientRequest: ClientRequest) {
    this.#encoder = clientRequest.wire.replyEncoder('json', clientRequest);
  }

  push(event: ReplyEvent): void {
    this.#builder.push(event);
  }

  /** Empty if there is no answer. */
  encode(): Uint8Array {
    const answer = this.#builder.answer();
    if (answer === undefined) return Buffer.alloc(0);
    const pieces = [...answerToEvents(answer)].map((event) => this.#encoder.push(event));
    return Buffer.concat([...pieces, this.#encoder.end()].filter((piece) => piece !== undefined));
  }
}
