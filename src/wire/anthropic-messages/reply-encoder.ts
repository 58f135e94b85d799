import { mergeUsage } from '../../kernel/answer.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Answer, ReplyEvent, Usage } from '../../kernel/message.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';

/** Writes a streamed answer, with the numbers that clients of this format rely on. */
export class MessagesEncoder implements ReplyEncoder {
  #usage: Usage = {};

  push(event: ReplyEvent): Uint8Array {
    const whole = this.#completed(event);
    return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(whole)}\n\n`);
  }

  end(): undefined {}

  #completed(event: ReplyEvent): ReplyEvent {
    if (event.type === 'message_start') {
      this.#usage = mergeUsage(this.#usage, event.message.usage);
      return { ...event, message: wholeAnswer(event.message) };
    }
    if (event.type !== 'message_delta') return event;
    this.#usage = mergeUsage(this.#usage, event.usage);
    const delta = { stop_reason: null, stop_sequence: null, ...event.delta };
    return { ...event, delta, usage: { output_tokens: 0, ...this.#usage } };
  }
}

export function bodyOf(answer: Answer): JsonObject {
  return { ...wholeAnswer(answer) };
}

/** SDKs of this format read these two counts without asking whether they are there. */
function wholeAnswer(answer: Answer): Answer {
  return { ...answer, usage: { input_tokens: 0, output_tokens: 0, ...answer.usage } };
}

export function nameOfError(status: number): string {
  const named = namesByStatus[status];
  if (named !== undefined) return named;
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

const namesByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
