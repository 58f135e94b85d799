import type { JsonObject } from '../../kernel/json.ts';
import type { Block, ReplyEvent } from '../../kernel/message.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../read.ts';
import { isEncryptedDetail, sealedExtra } from './extras.ts';
import { reasoningTextOf, signedDetailOf, thinkingPartText } from './reasoning.ts';
import { ToolSlots } from './tool-slots.ts';

type Prose = 'text' | 'thinking' | 'refusal';

const opened: Readonly<Record<Prose, Block>> = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
  refusal: { type: 'text', text: '', refusal: true },
};

/** Turns the deltas of one choice into blocks, which open and close. */
export class BlockWriter {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #tools: ToolSlots;
  #next = 0;
  #open: { readonly kind: Prose; readonly index: number } | undefined;
  refusal = '';
  /** Who answers. */
  model = '';

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
    const call = (block: Block) => this.#start(block);
    const extra = (id: string, extra_content: JsonObject) =>
      this.#whole(sealedExtra({ model: this.model, call: { id, extra_content } }));
    this.#tools = new ToolSlots({ call, extra }, emit);
  }

  /** Whether any content has come. */
  get begun(): boolean {
    return this.#next > 0;
  }

  get tools(): boolean {
    return this.#tools.begun;
  }

  delta(delta: JsonObject): void {
    this.#reasoning(delta);
    const { content } = delta;
    if (typeof content === 'string') this.#prose('text', content);
    else for (const part of objectsOf(content)) this.#part(part);
    const refusal = stringOf(delta.refusal);
    if (refusal !== undefined) {
      this.refusal += refusal;
      this.#prose('refusal', refusal);
    }
    for (const call of objectsOf(delta.tool_calls)) this.#call(call);
  }

  close(answerId: string): void {
    this.#tools.flush(`call_${answerId}`);
    this.#closeProse();
    for (const index of this.#tools.indexes) this.#emit({ type: 'content_block_stop', index });
  }

  #reasoning(delta: JsonObject): void {
    const text = reasoningTextOf(delta);
    if (text !== undefined) this.#prose('thinking', text);
    for (const detail of objectsOf(delta.reasoning_details)) {
      const signed = signedDetailOf(detail);
      if (signed?.type === 'redacted_thinking') this.#whole(signed);
      else if (signed !== undefined) this.#sign(signed.thinking, signed.signature ?? '');
      else if (isEncryptedDetail(detail)) this.#whole(sealedExtra({ model: this.model, detail }));
    }
  }

  #sign(text: string, signature: string): void {
    if (this.#open?.kind !== 'thinking') this.#prose('thinking', text, true);
    if (this.#open === undefined) return;
    this.#emit({
      type: 'content_block_delta',
      index: this.#open.index,
      delta: { type: 'signature_delta', signature },
    });
    this.#closeProse();
  }

  #part(part: JsonObject): void {
    if (part.type === 'thinking') this.#prose('thinking', thinkingPartText(part));
    else this.#prose('text', stringOf(part.text) ?? '');
  }

  #prose(kind: Prose, text: string, evenEmpty = false): void {
    if (text === '' && !evenEmpty) return;
    if (this.#open?.kind !== kind) {
      this.#closeProse();
      this.#open = { kind, index: this.#start(opened[kind]) };
    }
    const { index } = this.#open;
    if (text === '') return;
    const delta =
      kind === 'thinking'
        ? ({ type: 'thinking_delta', thinking: text } as const)
        : ({ type: 'text_delta', text } as const);
    this.#emit({ type: 'content_block_delta', index, delta });
  }

  #call(call: JsonObject): void {
    const called = objectOf(call.function);
    this.#tools.delta({
      index: numberOf(call.index),
      id: stringOf(call.id) ?? '',
      name: stringOf(called?.name) ?? '',
      json: argumentsOf(called?.arguments),
      extra: objectOf(call.extra_content),
    });
  }

  #start(block: Block): number {
    if (block.type !== 'text' && block.type !== 'thinking') this.#closeProse();
    const index = this.#next++;
    this.#emit({ type: 'content_block_start', index, content_block: block });
    return index;
  }

  #whole(block: Block): void {
    this.#emit({ type: 'content_block_stop', index: this.#start(block) });
  }

  #closeProse(): void {
    if (this.#open === undefined) return;
    this.#emit({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }
}

/** Some providers send the arguments whole, as the object they are. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
