import type { Block, Delta, ReplyEvent, StreamError, Usage } from '../../kernel/message.ts';
import type { ReplyDecoder } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { statusForErrorType } from '../anthropic-messages/errors.ts';
import { countOf, objectOf, parseObject, stringOf } from '../json-values.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { startedAnswer } from '../started-answer.ts';
import { failureOf, stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

interface OpenBlock {
  readonly index: number;
  readonly type: string;
}

/**
 * Decodes a stream with one event per frame. Text and thinking blocks have no start event, and usage follows the stop
 * reason.
 */
export class ConverseDecoder implements ReplyDecoder {
  finished = false;
  readonly unread = { tokens: 0, calls: 0 };
  readonly #sse = new SseParser();
  #events: ReplyEvent[] = [];
  #started = false;
  #closed = false;
  /** Open blocks by the provider's index; we renumber them. */
  readonly #openBlocks = new Map<number, OpenBlock>();
  #blockCount = 0;
  #toolCallCount = 0;
  #stopReason: string | undefined;
  #usage: Usage = {};

  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    return this.#read(this.#sse.push(chunk));
  }

  end(): readonly ReplyEvent[] {
    const events = this.#read(this.#sse.end());
    if (!this.finished || this.#closed) return events;
    this.#close();
    return [...events, ...this.#takeEvents()];
  }

  #read(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { event, data } of frames) {
      const payload = parseObject(data);
      if (payload !== undefined && !this.#closed) this.#handleEvent(event, payload);
    }
    return this.#takeEvents();
  }

  #takeEvents(): readonly ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #handleEvent(name: string, payload: JsonObject): void {
    switch (name) {
      case 'messageStart':
        this.#start();
        return;
      case 'contentBlockStart':
        this.#startToolUse(indexOf(payload), objectOf(objectOf(payload.start)?.toolUse));
        return;
      case 'contentBlockDelta':
        this.#handleDelta(indexOf(payload), objectOf(payload.delta) ?? {});
        return;
      case 'contentBlockStop':
        this.#closeBlock(indexOf(payload));
        return;
      case 'messageStop':
        this.#stopReason = stringOf(payload.stopReason) ?? 'end_turn';
        this.finished = true;
        return;
      case 'metadata':
        this.#usage = usageOf(payload);
        if (this.finished) this.#close();
        return;
      case 'error':
        this.#fail(objectOf(payload.error) ?? {});
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const message = startedAnswer(this.#id, '');
    this.#events.push({ type: 'message_start', message });
  }

  #startToolUse(index: number, call: JsonObject | undefined): void {
    const { toolUseId, name } = call ?? {};
    // Other blocks open with their first delta.
    if (typeof toolUseId !== 'string' || typeof name !== 'string') return;
    this.#toolCallCount++;
    this.#openBlock(index, { type: 'tool_use', id: toolUseId, name, input: {} });
  }

  /** Closes a block that is still open. */
  #openBlock(index: number, content_block: Block): number {
    this.#start();
    this.#closeBlock(index);
    const block = this.#blockCount++;
    this.#openBlocks.set(index, { index: block, type: content_block.type });
    this.#events.push({ type: 'content_block_start', index: block, content_block });
    return block;
  }

  #handleDelta(index: number, delta: JsonObject): void {
    const text = stringOf(delta.text);
    const input = stringOf(objectOf(delta.toolUse)?.input);
    if (text !== undefined)
      this.#appendDelta(index, { type: 'text', text: '' }, { type: 'text_delta', text });
    else if (input !== undefined) {
      const openBlock = this.#openBlocks.get(index);
      if (openBlock?.type === 'tool_use' && input !== '')
        this.#emitDelta(openBlock.index, { type: 'input_json_delta', partial_json: input });
    } else this.#handleReasoning(index, objectOf(delta.reasoningContent) ?? {});
  }

  #handleReasoning(index: number, { text, signature, redactedContent }: JsonObject): void {
    const block: Block = { type: 'thinking', thinking: '' };
    if (typeof text === 'string') this.#appendDelta(index, block, { type: 'thinking_delta', thinking: text });
    if (typeof signature === 'string')
      this.#appendDelta(index, block, { type: 'signature_delta', signature });
    if (typeof redactedContent === 'string')
      this.#openBlock(index, { type: 'redacted_thinking', data: redactedContent });
  }

  #appendDelta(index: number, begun: Block, delta: Delta): void {
    const openBlock = this.#openBlocks.get(index);
    this.#emitDelta(openBlock?.type === begun.type ? openBlock.index : this.#openBlock(index, begun), delta);
  }

  #emitDelta(index: number, delta: Delta): void {
    this.#events.push({ type: 'content_block_delta', index, delta });
  }

  #closeBlock(index: number): void {
    const openBlock = this.#openBlocks.get(index);
    if (openBlock === undefined) return;
    this.#openBlocks.delete(index);
    this.#events.push({ type: 'content_block_stop', index: openBlock.index });
  }

  #fail({ type: rawType, message: rawMessage }: JsonObject): void {
    const type = stringOf(rawType) ?? 'api_error';
    const status = statusForErrorType(type);
    const message = stringOf(rawMessage) ?? 'the provider reported an error without a message';
    this.#failWith({ type, message, ...(status !== undefined && { status }) });
  }

  #failWith(error: StreamError): void {
    this.finished = true;
    this.#closed = true;
    const hasStarted = this.#blockCount > 0;
    if (hasStarted && Object.keys(this.#usage).length > 0)
      this.#events.push({ type: 'message_delta', delta: {}, usage: this.#usage });
    // A separate usage event would look like the start of the reply.
    this.#events.push({ type: 'error', error, ...(!hasStarted && { usage: this.#usage }) });
  }

  #close(): void {
    const failure = this.#blockCount === 0 ? failureOf(this.#stopReason) : undefined;
    if (failure === undefined) this.#finish();
    else this.#failWith(failure);
  }

  #finish(): void {
    this.#closed = true;
    this.#start();
    for (const index of [...this.#openBlocks.keys()]) this.#closeBlock(index);
    const stop_reason = stopReasonOf(this.#stopReason, this.#toolCallCount > 0);
    this.#events.push({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: this.#usage,
    });
    this.#events.push({ type: 'message_stop' });
  }
}

function indexOf({ contentBlockIndex }: JsonObject): number {
  return countOf(contentBlockIndex) ?? 0;
}
