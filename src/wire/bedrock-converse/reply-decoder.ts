import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Delta, ReplyEvent, StreamError, Usage } from '../../kernel/message.ts';
import type { ReplyDecoder } from '../../kernel/wire-format.ts';
import { statusOfError } from '../anthropic-messages/errors.ts';
import { countOf, objectOf, parseObject, stringOf } from '../read.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { failureOf, stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

interface OpenBlock {
  readonly block: number;
  readonly type: string;
}

/**
 * Reads a streamed answer, of which each event is a frame. Blocks of text and thought begin without a word, and what was
 * used is told after the reason for stopping.
 */
export class ConverseDecoder implements ReplyDecoder {
  finished = false;
  readonly unread = { tokens: 0, calls: 0 };
  readonly #sse = new SseParser();
  #events: ReplyEvent[] = [];
  #started = false;
  #closed = false;
  /** Blocks that are open, by their number there; here they are numbered anew. */
  readonly #open = new Map<number, OpenBlock>();
  #blocks = 0;
  #calls = 0;
  #stop: string | undefined;
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
    return [...events, ...this.#taken()];
  }

  #read(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { event, data } of frames) {
      const told = parseObject(data);
      if (told !== undefined && !this.#closed) this.#take(event, told);
    }
    return this.#taken();
  }

  #taken(): readonly ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #take(name: string, told: JsonObject): void {
    switch (name) {
      case 'messageStart':
        this.#start();
        return;
      case 'contentBlockStart':
        this.#begin(indexOf(told), objectOf(objectOf(told.start)?.toolUse));
        return;
      case 'contentBlockDelta':
        this.#grow(indexOf(told), objectOf(told.delta) ?? {});
        return;
      case 'contentBlockStop':
        this.#end(indexOf(told));
        return;
      case 'messageStop':
        this.#stop = stringOf(told.stopReason) ?? 'end_turn';
        this.finished = true;
        return;
      case 'metadata':
        this.#usage = usageOf(objectOf(told.usage) ?? {});
        if (this.finished) this.#close();
        return;
      case 'error':
        this.#fail(objectOf(told.error) ?? {});
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const message = {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: '',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {},
    } as const;
    this.#events.push({ type: 'message_start', message });
  }

  #begin(index: number, call: JsonObject | undefined): void {
    const { toolUseId, name } = call ?? {};
    // Others begin with what is in them.
    if (typeof toolUseId !== 'string' || typeof name !== 'string') return;
    this.#calls++;
    this.#openBlock(index, { type: 'tool_use', id: toolUseId, name, input: {} });
  }

  /** Where another one has not ended yet, that is over. */
  #openBlock(index: number, content_block: Block): number {
    this.#start();
    this.#end(index);
    const block = this.#blocks++;
    this.#open.set(index, { block, type: content_block.type });
    this.#events.push({ type: 'content_block_start', index: block, content_block });
    return block;
  }

  #grow(index: number, delta: JsonObject): void {
    const text = stringOf(delta.text);
    const input = stringOf(objectOf(delta.toolUse)?.input);
    if (text !== undefined) this.#say(index, { type: 'text', text: '' }, { type: 'text_delta', text });
    else if (input !== undefined) {
      const open = this.#open.get(index);
      if (open?.type === 'tool_use' && input !== '')
        this.#tell(open.block, { type: 'input_json_delta', partial_json: input });
    } else this.#think(index, objectOf(delta.reasoningContent) ?? {});
  }

  #think(index: number, { text, signature, redactedContent }: JsonObject): void {
    const block: Block = { type: 'thinking', thinking: '' };
    if (typeof text === 'string') this.#say(index, block, { type: 'thinking_delta', thinking: text });
    if (typeof signature === 'string') this.#say(index, block, { type: 'signature_delta', signature });
    if (typeof redactedContent === 'string')
      this.#openBlock(index, { type: 'redacted_thinking', data: redactedContent });
  }

  #say(index: number, begun: Block, delta: Delta): void {
    const open = this.#open.get(index);
    this.#tell(open?.type === begun.type ? open.block : this.#openBlock(index, begun), delta);
  }

  #tell(index: number, delta: Delta): void {
    this.#events.push({ type: 'content_block_delta', index, delta });
  }

  #end(index: number): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    this.#events.push({ type: 'content_block_stop', index: open.block });
  }

  #fail({ type: told, message: said }: JsonObject): void {
    const type = stringOf(told) ?? 'api_error';
    const status = statusOfError(type);
    const message = stringOf(said) ?? 'the provider reported an error without a message';
    this.#failWith({ type, message, ...(status !== undefined && { status }) });
  }

  #failWith(error: StreamError): void {
    this.finished = true;
    this.#closed = true;
    const hasBegun = this.#blocks > 0;
    if (hasBegun && Object.keys(this.#usage).length > 0)
      this.#events.push({ type: 'message_delta', delta: {}, usage: this.#usage });
    // Told by itself it would look as if the answer had begun.
    this.#events.push({ type: 'error', error, ...(!hasBegun && { usage: this.#usage }) });
  }

  #close(): void {
    const failure = this.#blocks === 0 ? failureOf(this.#stop) : undefined;
    if (failure === undefined) this.#finish();
    else this.#failWith(failure);
  }

  #finish(): void {
    this.#closed = true;
    this.#start();
    for (const index of [...this.#open.keys()]) this.#end(index);
    const stop_reason = stopReasonOf(this.#stop, this.#calls > 0);
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
