import type { Block, ReplyEvent } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../json-values.ts';
import { isEncryptedDetail, toExtraBlock } from './provider-extras.ts';
import { reasoningTextOf, signedDetailOf, thinkingPartText } from './reasoning.ts';
import { ToolCallAssembler } from './tool-call-assembler.ts';

type TextKind = 'text' | 'thinking' | 'refusal';

const emptyBlocks: Readonly<Record<TextKind, Block>> = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
  refusal: { type: 'text', text: '', refusal: true },
};

/** Turns the deltas of one choice into block events. */
export class DeltaReader {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #toolCalls: ToolCallAssembler;
  #nextIndex = 0;
  #open: { readonly kind: TextKind; readonly index: number } | undefined;
  refusal = '';
  /** The model that answers. */
  model = '';

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
    const openToolUse = (block: Block) => this.#start(block);
    const addExtra = (id: string, extra_content: JsonObject) =>
      this.#emitBlock(toExtraBlock({ model: this.model, call: { id, extra_content } }));
    this.#toolCalls = new ToolCallAssembler({ openToolUse, addExtra }, emit);
  }

  /** Whether any content has arrived. */
  get hasContent(): boolean {
    return this.#nextIndex > 0;
  }

  get hasToolCalls(): boolean {
    return this.#toolCalls.hasOpenCalls;
  }

  read(delta: JsonObject): void {
    this.#readReasoning(delta);
    const { content } = delta;
    if (typeof content === 'string') this.#emitText('text', content);
    else for (const part of objectsOf(content)) this.#readPart(part);
    const refusal = stringOf(delta.refusal);
    if (refusal !== undefined) {
      this.refusal += refusal;
      this.#emitText('refusal', refusal);
    }
    for (const call of objectsOf(delta.tool_calls)) this.#readToolCall(call);
  }

  close(answerId: string): void {
    this.#toolCalls.flush(`call_${answerId}`);
    this.#closeText();
    for (const index of this.#toolCalls.indexes) this.#emit({ type: 'content_block_stop', index });
  }

  #readReasoning(delta: JsonObject): void {
    const text = reasoningTextOf(delta);
    if (text !== undefined) this.#emitText('thinking', text);
    for (const detail of objectsOf(delta.reasoning_details)) {
      const signed = signedDetailOf(detail);
      if (signed?.type === 'redacted_thinking') this.#emitBlock(signed);
      else if (signed !== undefined) this.#sign(signed.thinking, signed.signature ?? '');
      else if (isEncryptedDetail(detail)) this.#emitBlock(toExtraBlock({ model: this.model, detail }));
    }
  }

  #sign(text: string, signature: string): void {
    if (this.#open?.kind !== 'thinking') this.#emitText('thinking', text, true);
    if (this.#open === undefined) return;
    this.#emit({
      type: 'content_block_delta',
      index: this.#open.index,
      delta: { type: 'signature_delta', signature },
    });
    this.#closeText();
  }

  #readPart(part: JsonObject): void {
    if (part.type === 'thinking') this.#emitText('thinking', thinkingPartText(part));
    else this.#emitText('text', stringOf(part.text) ?? '');
  }

  #emitText(textKind: TextKind, text: string, evenEmpty = false): void {
    if (text === '' && !evenEmpty) return;
    if (this.#open?.kind !== textKind) {
      this.#closeText();
      this.#open = { kind: textKind, index: this.#start(emptyBlocks[textKind]) };
    }
    const { index } = this.#open;
    if (text === '') return;
    const delta =
      textKind === 'thinking'
        ? ({ type: 'thinking_delta', thinking: text } as const)
        : ({ type: 'text_delta', text } as const);
    this.#emit({ type: 'content_block_delta', index, delta });
  }

  #readToolCall(call: JsonObject): void {
    const called = objectOf(call.function);
    this.#toolCalls.push({
      index: numberOf(call.index),
      id: stringOf(call.id) ?? '',
      name: stringOf(called?.name) ?? '',
      json: argumentsOf(called?.arguments),
      extra: objectOf(call.extra_content),
    });
  }

  #start(block: Block): number {
    if (block.type !== 'text' && block.type !== 'thinking') this.#closeText();
    const index = this.#nextIndex++;
    this.#emit({ type: 'content_block_start', index, content_block: block });
    return index;
  }

  #emitBlock(block: Block): void {
    this.#emit({ type: 'content_block_stop', index: this.#start(block) });
  }

  #closeText(): void {
    if (this.#open === undefined) return;
    this.#emit({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }
}

/** Some providers send complete arguments as an object. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
