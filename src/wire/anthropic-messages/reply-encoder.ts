import type { JsonObject } from '../../kernel/json.ts';
import type { Answer, ReplyEvent, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import { foreignOf } from '../foreign.ts';
import { wordedError } from './errors.ts';
import { plainBlock, plainBlocks } from './plain-blocks.ts';

/** Writes a streamed answer, with the numbers that clients of this format rely on. */
export class MessagesEncoder implements ReplyEncoder {
  #usage: Usage = {};
  readonly #blocks = new NumberedBlocks();

  push(event: ReplyEvent): Uint8Array | undefined {
    const numbered = this.#blocks.of(event);
    if (numbered === undefined) return undefined;
    const whole = this.#completed(numbered);
    return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(whole)}\n\n`);
  }

  end(): undefined {}

  #completed(event: ReplyEvent): ReplyEvent {
    if (event.type === 'message_start') {
      this.#usage = mergeUsage(this.#usage, event.message.usage);
      return { ...event, message: wholeAnswer(event.message) };
    }
    if (event.type === 'content_block_start')
      return { ...event, content_block: plainBlock(event.content_block) };
    if (event.type === 'error') return { type: 'error', error: wordedError(event.error) };
    if (event.type !== 'message_delta') return event;
    this.#usage = mergeUsage(this.#usage, event.usage);
    const delta = { stop_reason: null, stop_sequence: null, ...event.delta };
    return { ...event, delta, usage: { output_tokens: 0, ...this.#usage } };
  }
}

export function bodyOf(answer: Answer): JsonObject {
  return { ...wholeAnswer(answer), content: plainBlocks(answer.content) };
}

/** Leaves out what only other formats can say, and numbers the rest through. */
class NumberedBlocks {
  readonly #left = new Set<number>();

  of(event: ReplyEvent): ReplyEvent | undefined {
    if (!('index' in event)) return event;
    const { index } = event;
    if (event.type === 'content_block_start' && foreignOf(event.content_block) !== undefined)
      this.#left.add(index);
    if (this.#left.size === 0) return isForeign(event) ? undefined : event;
    if (this.#left.has(index) || isForeign(event)) return undefined;
    const before = [...this.#left].filter((other) => other < index).length;
    return { ...event, index: index - before };
  }
}

function isForeign(event: ReplyEvent): boolean {
  return (
    event.type === 'content_block_delta' &&
    event.delta.type === 'citations_delta' &&
    foreignOf(event.delta.citation) !== undefined
  );
}

/** SDKs of this format read these two counts without asking whether they are there. */
function wholeAnswer(answer: Answer): Answer {
  return { ...answer, usage: { input_tokens: 0, output_tokens: 0, ...answer.usage } };
}
