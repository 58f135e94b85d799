import type { FieldReader } from '../../kernel/json/lazy-json-object.ts';
import type { Block, Delta, ReplyEvent, StopDelta, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { encodeError } from '../openai/errors.ts';
import { freeTextOf } from '../openai/free-text.ts';
import { isRefusal } from '../openai/refusal.ts';
import { toolInputOf } from '../tool-input.ts';
import { annotationOf } from './annotations.ts';
import { freeTextTools } from './decode-tools.ts';
import { wantsUsage } from './include-usage.ts';
import { encryptedDetail, signatureDetail } from './reasoning.ts';
import { finishReasonOf } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';

interface OpenToolCall {
  readonly toolIndex: number;
  readonly input: unknown;
  /** Free text so far, which can only be unwrapped when complete. */
  freeTextJson: string | undefined;
  hasArguments: boolean;
}

export class ChatEncoder implements ReplyEncoder {
  readonly #createdSeconds: number;
  readonly #includesUsage: boolean;
  readonly #freeText: ReadonlySet<string>;
  #chunkPrefix = '';
  #chunkSuffix = '';
  #usage: Usage = {};
  #stop: StopDelta = {};
  #ended = false;
  readonly #calls = new Map<number, OpenToolCall>();
  #textLength = 0;
  #text: { readonly start: number; readonly citations: JsonObject[] } = { start: 0, citations: [] };
  #thinking = '';
  /** Index of the refusal block, if any. */
  #refusalIndex: number | undefined;

  constructor(clientFields: FieldReader, createdSeconds: number) {
    this.#createdSeconds = createdSeconds;
    this.#includesUsage = wantsUsage(clientFields);
    this.#freeText = freeTextTools(clientFields);
  }

  push(event: ReplyEvent): Uint8Array | undefined {
    const text = this.#encode(event);
    return text === '' ? undefined : Buffer.from(text);
  }

  end(): Uint8Array | undefined {
    const text = this.#encodeEnd();
    return text === '' ? undefined : Buffer.from(text);
  }

  #encode(event: ReplyEvent): string {
    switch (event.type) {
      case 'message_start':
        this.#setChunkEnvelope(event.message.id, event.message.model);
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
        return this.#encodeEnd();
      case 'error':
        this.#ended = true;
        return `data: ${JSON.stringify({ error: encodeError(event.error) })}\n\n`;
      default:
        return '';
    }
  }

  #setChunkEnvelope(id: string, model: string): void {
    const head = { id, object: 'chat.completion.chunk', created: this.#createdSeconds, model };
    this.#chunkPrefix = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`;
    this.#chunkSuffix = `]${this.#includesUsage ? ',"usage":null' : ''}}\n\n`;
  }

  #chunk(delta: JsonObject, finish: string | null = null): string {
    const choice = `{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}`;
    return this.#chunkPrefix + choice + this.#chunkSuffix;
  }

  #blockStart(index: number, block: Block): string {
    switch (block.type) {
      case 'tool_use': {
        const { id, name, input } = block;
        const isFree = this.#freeText.has(name);
        const openToolCall: OpenToolCall = {
          toolIndex: this.#calls.size,
          input,
          freeTextJson: isFree ? '' : undefined,
          hasArguments: false,
        };
        this.#calls.set(index, openToolCall);
        const called = isFree
          ? { type: 'custom', custom: { name, input: '' } }
          : { type: 'function', function: { name, arguments: '' } };
        return this.#chunk({ tool_calls: [{ index: openToolCall.toolIndex, id, ...called }] });
      }
      case 'text': {
        const citations =
          'citations' in block && Array.isArray(block.citations) ? block.citations.filter(isJsonObject) : [];
        this.#text = { start: this.#textLength, citations };
        if (isRefusal(block)) this.#refusalIndex = index;
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
        if (index === this.#refusalIndex) return this.#chunk({ refusal: delta.text });
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
        const openToolCall = this.#calls.get(index);
        if (openToolCall === undefined || delta.partial_json === '') return '';
        if (openToolCall.freeTextJson !== undefined) {
          openToolCall.freeTextJson += delta.partial_json;
          return '';
        }
        openToolCall.hasArguments = true;
        return this.#argumentsChunk(openToolCall, delta.partial_json);
      }
      default:
        return '';
    }
  }

  #argumentsChunk({ toolIndex }: OpenToolCall, json: string): string {
    return this.#chunk({ tool_calls: [{ index: toolIndex, function: { arguments: json } }] });
  }

  #freeTextChunk({ toolIndex, input }: OpenToolCall, json: string): string {
    const text = freeTextOf({ input: json === '' ? input : toolInputOf(json) });
    return this.#chunk({ tool_calls: [{ index: toolIndex, custom: { input: text } }] });
  }

  /** Arguments must be valid JSON in the end, also for a tool without any. */
  #blockStop(index: number): string {
    const openToolCall = this.#calls.get(index);
    if (openToolCall?.freeTextJson !== undefined)
      return this.#freeTextChunk(openToolCall, openToolCall.freeTextJson);
    if (openToolCall !== undefined)
      return openToolCall.hasArguments
        ? ''
        : this.#argumentsChunk(openToolCall, JSON.stringify(openToolCall.input ?? {}));
    const { start, citations } = this.#text;
    const annotations = citations.flatMap((citation) => annotationOf(citation, start, this.#textLength));
    this.#text = { start: this.#textLength, citations: [] };
    return annotations.length === 0 ? '' : this.#chunk({ annotations });
  }

  #encodeEnd(): string {
    if (this.#ended || this.#chunkPrefix === '') return '';
    this.#ended = true;
    const { stop_reason, stop_details } = this.#stop;
    const isUnreported =
      stop_reason === 'refusal' && this.#textLength === 0 && this.#refusalIndex === undefined;
    const explanation = isUnreported ? stop_details?.explanation : undefined;
    const refusal = explanation == null ? '' : this.#chunk({ refusal: explanation });
    const finish = finishReasonOf(stop_reason, this.#refusalIndex !== undefined);
    const usage = this.#includesUsage
      ? `${this.#chunkPrefix}],"usage":${JSON.stringify(encodeUsage(this.#usage))}}\n\n`
      : '';
    return `${refusal}${this.#chunk({}, finish)}${usage}data: [DONE]\n\n`;
  }
}
