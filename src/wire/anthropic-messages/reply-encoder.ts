import type { Answer, ReplyEvent, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignPartOf } from '../foreign.ts';
import { encodeError } from './errors.ts';
import { stripForeignBlocks, stripForeignFields } from './strip-foreign.ts';

/** Writes a stream, with the token counts that clients of this format rely on. */
export class MessagesEncoder implements ReplyEncoder {
  #usage: Usage = {};
  readonly #blocks = new ForeignBlockFilter();

  push(event: ReplyEvent): Uint8Array | undefined {
    const numbered = this.#blocks.renumber(event);
    if (numbered === undefined) return undefined;
    const whole = this.#completeEvent(numbered);
    return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(whole)}\n\n`);
  }

  end(): undefined {}

  #completeEvent(event: ReplyEvent): ReplyEvent {
    if (event.type === 'message_start') {
      this.#usage = mergeUsage(this.#usage, event.message.usage);
      return { ...event, message: withTokenCounts(event.message) };
    }
    if (event.type === 'content_block_start')
      return { ...event, content_block: stripForeignFields(event.content_block) };
    if (event.type === 'error') return { type: 'error', error: encodeError(event.error) };
    if (event.type !== 'message_delta') return event;
    this.#usage = mergeUsage(this.#usage, event.usage);
    const delta = { stop_reason: null, stop_sequence: null, ...event.delta };
    return { ...event, delta, usage: { output_tokens: 0, ...this.#usage } };
  }
}

export function encodeReplyBody(answer: Answer): JsonObject {
  return { ...withTokenCounts(answer), content: stripForeignBlocks(answer.content) };
}

/** Omits blocks of other formats and renumbers the rest. */
class ForeignBlockFilter {
  readonly #skipped = new Set<number>();

  renumber(event: ReplyEvent): ReplyEvent | undefined {
    if (!('index' in event)) return event;
    const { index } = event;
    if (event.type === 'content_block_start' && foreignPartOf(event.content_block) !== undefined)
      this.#skipped.add(index);
    if (this.#skipped.size === 0) return isForeignCitation(event) ? undefined : event;
    if (this.#skipped.has(index) || isForeignCitation(event)) return undefined;
    const before = [...this.#skipped].filter((other) => other < index).length;
    return { ...event, index: index - before };
  }
}

function isForeignCitation(event: ReplyEvent): boolean {
  return (
    event.type === 'content_block_delta' &&
    event.delta.type === 'citations_delta' &&
    foreignPartOf(event.delta.citation) !== undefined
  );
}

/** SDKs of this format read these two counts without checking that they exist. */
function withTokenCounts(answer: Answer): Answer {
  return { ...answer, usage: { input_tokens: 0, output_tokens: 0, ...answer.usage } };
}
