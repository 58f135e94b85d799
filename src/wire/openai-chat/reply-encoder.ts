import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Block, Delta, ReplyEvent, StopDelta, Usage } from '../../kernel/message.ts';
import type { Fields } from '../../kernel/outline.ts';
import { mergeUsage } from '../../kernel/reply/answer.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import { wordedError } from '../openai/errors.ts';
import { freeTextOf } from '../openai/free-text.ts';
import { isRefusal } from '../openai/refusal.ts';
import { toolInputOf } from '../openai/tool-input.ts';
import { annotationOf } from './annotations.ts';
import { freeTextTools } from './decode-tools.ts';
import { encryptedDetail, signatureDetail } from './reasoning.ts';
import { finishReasonOf } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';
import { asksUsage } from './usage-question.ts';

interface Call {
  readonly toolIndex: number;
  readonly input: unknown;
  /** What came so far of free text, which is known only once its wrapping is complete. */
  free: string | undefined;
  written: boolean;
}

/** Writes a streamed answer. */
export class ChatEncoder implements ReplyEncoder {
  readonly #createdSeconds: number;
  readonly #tellsUsage: boolean;
  readonly #freeText: ReadonlySet<string>;
  #before = '';
  #after = '';
  #usage: Usage = {};
  #stop: StopDelta = {};
  #ended = false;
  readonly #calls = new Map<number, Call>();
  #textLength = 0;
  #text: { readonly start: number; readonly citations: JsonObject[] } = { start: 0, citations: [] };
  #thinking = '';
  /** The block that is a refusal, once there is one. */
  #refusal: number | undefined;

  constructor(asked: Fields, createdSeconds: number) {
    this.#createdSeconds = createdSeconds;
    this.#tellsUsage = asksUsage(asked);
    this.#freeText = freeTextTools(asked);
  }

  push(event: ReplyEvent): Uint8Array | undefined {
    const text = this.#written(event);
    return text === '' ? undefined : Buffer.from(text);
  }

  end(): Uint8Array | undefined {
    const text = this.#ending();
    return text === '' ? undefined : Buffer.from(text);
  }

  #written(event: ReplyEvent): string {
    switch (event.type) {
      case 'message_start':
        this.#head(event.message.id, event.message.model);
        this.#usage = mergeUsage(this.#usage, event.message.usage);
        return this.#chunk({ role: 'assistant', content: '', refusal: null });
      case 'content_block_start':
        return this.#blockStart(event.index, event.content_block);
      case 'content_block_delta':
        return this.#blockDelta(event.index, event.delta);
      case 'content_block_stop':
        return this.#blockStop(event.index);
      case 'message_delta':
        this.#usage = mergeUsage(this.#usage, event.usage);
        if (event.delta.stop_reason != null) this.#stop = event.delta;
        return '';
      case 'message_stop':
        return this.#ending();
      case 'error':
        this.#ended = true;
        return `data: ${JSON.stringify({ error: wordedError(event.error) })}\n\n`;
      default:
        return '';
    }
  }

  #head(id: string, model: string): void {
    const head = { id, object: 'chat.completion.chunk', created: this.#createdSeconds, model };
    this.#before = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`;
    this.#after = `]${this.#tellsUsage ? ',"usage":null' : ''}}\n\n`;
  }

  #chunk(delta: JsonObject, finish: string | null = null): string {
    const choice = `{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}`;
    return this.#before + choice + this.#after;
  }

  #blockStart(index: number, block: Block): string {
    switch (block.type) {
      case 'tool_use': {
        const { id, name, input } = block;
        const isFree = this.#freeText.has(name);
        const call: Call = {
          toolIndex: this.#calls.size,
          input,
          free: isFree ? '' : undefined,
          written: false,
        };
        this.#calls.set(index, call);
        const called = isFree
          ? { type: 'custom', custom: { name, input: '' } }
          : { type: 'function', function: { name, arguments: '' } };
        return this.#chunk({ tool_calls: [{ index: call.toolIndex, id, ...called }] });
      }
      case 'text': {
        const citations =
          'citations' in block && Array.isArray(block.citations) ? block.citations.filter(isJsonObject) : [];
        this.#text = { start: this.#textLength, citations };
        if (isRefusal(block)) this.#refusal = index;
        return block.text === '' ? '' : this.#blockDelta(index, { type: 'text_delta', text: block.text });
      }
      case 'thinking':
        this.#thinking = '';
        return block.thinking === ''
          ? ''
          : this.#blockDelta(index, { type: 'thinking_delta', thinking: block.thinking });
      case 'redacted_thinking':
        return this.#chunk({ reasoning_details: [encryptedDetail(block.data, index)] });
      default:
        return '';
    }
  }

  #blockDelta(index: number, delta: Delta): string {
    switch (delta.type) {
      case 'text_delta':
        if (index === this.#refusal) return this.#chunk({ refusal: delta.text });
        this.#textLength += delta.text.length;
        return this.#chunk({ content: delta.text });
      case 'thinking_delta':
        this.#thinking += delta.thinking;
        return this.#chunk({ reasoning_content: delta.thinking });
      case 'signature_delta':
        if (delta.signature === '') return '';
        return this.#chunk({ reasoning_details: [signatureDetail(this.#thinking, delta.signature, index)] });
      case 'citations_delta':
        if (isJsonObject(delta.citation)) this.#text.citations.push(delta.citation);
        return '';
      case 'input_json_delta': {
        const call = this.#calls.get(index);
        if (call === undefined || delta.partial_json === '') return '';
        if (call.free !== undefined) {
          call.free += delta.partial_json;
          return '';
        }
        call.written = true;
        return this.#arguments(call, delta.partial_json);
      }
      default:
        return '';
    }
  }

  #arguments({ toolIndex }: Call, json: string): string {
    return this.#chunk({ tool_calls: [{ index: toolIndex, function: { arguments: json } }] });
  }

  #freeInput({ toolIndex, input }: Call, json: string): string {
    const text = freeTextOf({ input: json === '' ? input : toolInputOf(json) });
    return this.#chunk({ tool_calls: [{ index: toolIndex, custom: { input: text } }] });
  }

  /** Arguments must be JSON in the end, also of a tool that takes none. */
  #blockStop(index: number): string {
    const call = this.#calls.get(index);
    if (call?.free !== undefined) return this.#freeInput(call, call.free);
    if (call !== undefined)
      return call.written ? '' : this.#arguments(call, JSON.stringify(call.input ?? {}));
    const { start, citations } = this.#text;
    const annotations = citations.flatMap((citation) => annotationOf(citation, start, this.#textLength));
    this.#text = { start: this.#textLength, citations: [] };
    return annotations.length === 0 ? '' : this.#chunk({ annotations });
  }

  #ending(): string {
    if (this.#ended || this.#before === '') return '';
    this.#ended = true;
    const { stop_reason, stop_details } = this.#stop;
    const untold = stop_reason === 'refusal' && this.#textLength === 0 && this.#refusal === undefined;
    const explanation = untold ? stop_details?.explanation : undefined;
    const refusal = explanation == null ? '' : this.#chunk({ refusal: explanation });
    const finish = finishReasonOf(stop_reason, this.#refusal !== undefined);
    const usage = this.#tellsUsage
      ? `${this.#before}],"usage":${JSON.stringify(encodeUsage(this.#usage))}}\n\n`
      : '';
    return `${refusal}${this.#chunk({}, finish)}${usage}data: [DONE]\n\n`;
  }
}
