import type { JsonObject } from '../../kernel/json.ts';
import type { Answer, Block, ReplyEvent, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import { wordedError } from './errors.ts';

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
    if (event.type === 'content_block_start') return { ...event, content_block: plain(event.content_block) };
    if (event.type === 'error') return { ...event, error: wordedError(event.error) };
    if (event.type !== 'message_delta') return event;
    this.#usage = mergeUsage(this.#usage, event.usage);
    const delta = { stop_reason: null, stop_sequence: null, ...event.delta };
    return { ...event, delta, usage: { output_tokens: 0, ...this.#usage } };
  }
}

export function bodyOf(answer: Answer): JsonObject {
  return { ...wholeAnswer(answer), content: answer.content.map(plain) };
}

/** A refusal is told by the reason for stopping alone. */
function plain(block: Block): Block {
  if (block.type !== 'text' || block.refusal === undefined) return block;
  const { refusal: _, ...rest } = block;
  return rest;
}

/** SDKs of this format read these two counts without asking whether they are there. */
function wholeAnswer(answer: Answer): Answer {
  return { ...answer, usage: { input_tokens: 0, output_tokens: 0, ...answer.usage } };
}
