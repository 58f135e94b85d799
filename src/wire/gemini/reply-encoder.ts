import type { Answer, ReplyEvent, StopDelta, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { encodeError, errorFrame } from './errors.ts';
import { PartWriter } from './part-writer.ts';
import { finishReasonOf } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';

/** Writes a stream: each frame is a response with part of the content. */
export class GeminiEncoder implements ReplyEncoder {
  readonly #parts = new PartWriter();
  #head: JsonObject = {};
  #usage: Usage = {};
  #stop: StopDelta = {};
  #started = false;
  #ended = false;

  push(event: ReplyEvent): Uint8Array | undefined {
    switch (event.type) {
      case 'message_start':
        this.#started = true;
        this.#head = headOf(event.message);
        this.#usage = mergeUsage(this.#usage, event.message.usage);
        return undefined;
      case 'message_delta':
        this.#usage = mergeUsage(this.#usage, event.usage);
        if (event.delta.stop_reason != null) this.#stop = event.delta;
        return undefined;
      case 'message_stop':
        return this.end();
      case 'error':
        this.#ended = true;
        return errorFrame(encodeError(event.error));
      default: {
        const parts = this.#parts.push(event);
        return parts.length === 0 ? undefined : this.#chunk(parts);
      }
    }
  }

  end(): Uint8Array | undefined {
    if (this.#ended || !this.#started) return undefined;
    this.#ended = true;
    const parts = this.#parts.end();
    return this.#chunk(parts.length === 0 ? [{ text: '' }] : parts, finishFieldsOf(this.#stop, this.#parts));
  }

  #chunk(parts: readonly JsonObject[], ending: JsonObject = {}): Uint8Array {
    const candidate = { content: { parts, role: 'model' }, ...ending, index: 0 };
    return frame({ candidates: [candidate], usageMetadata: encodeUsage(this.#usage), ...this.#head });
  }
}

function frame(data: JsonObject): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(data)}\r\n\r\n`);
}

export function encodeReplyBody(answer: Answer): JsonObject {
  const writer = new PartWriter();
  const parts: JsonObject[] = [];
  for (const [index, content_block] of answer.content.entries())
    parts.push(
      ...writer.push({ type: 'content_block_start', index, content_block }),
      ...writer.push({ type: 'content_block_stop', index }),
    );
  parts.push(...writer.end());
  const { stop_reason, stop_details } = answer;
  const ending = finishFieldsOf({ stop_reason, ...(stop_details != null && { stop_details }) }, writer);
  const candidate = { content: { parts, role: 'model' }, ...ending, index: 0 };
  return { candidates: [candidate], usageMetadata: encodeUsage(answer.usage), ...headOf(answer) };
}

function headOf({ id, model }: Pick<Answer, 'id' | 'model'>): JsonObject {
  return { modelVersion: model, responseId: id };
}

function finishFieldsOf({ stop_reason, stop_details }: StopDelta, { metadata }: PartWriter): JsonObject {
  const explanation = stop_reason === 'refusal' ? stop_details?.explanation : undefined;
  return {
    finishReason: finishReasonOf(stop_reason, stop_details?.category),
    ...(explanation != null && { finishMessage: explanation }),
    ...metadata,
  };
}
