import type { JsonObject } from '../../kernel/json.ts';
import type { Block, ReplyEvent } from '../../kernel/message.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../read.ts';
import { carriedIn, type Signature, sealedSignature, type Thought } from './signatures.ts';

type Prose = 'text' | 'thinking';

const opened: Readonly<Record<Prose, Block>> = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

/** Turns the parts of an answer into blocks, which open and close. */
export class PartReader {
  readonly #emit: (event: ReplyEvent) => void;
  #next = 0;
  #open: { readonly kind: Prose; readonly index: number } | undefined;
  /** What signs the text that is open, and comes behind it. */
  #signatures: Signature[] = [];
  #calls = 0;
  /** Who answers, and under which name. */
  model = '';
  answerId = '';

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
  }

  /** Whether any content has come. */
  get begun(): boolean {
    return this.#next > 0;
  }

  get tools(): boolean {
    return this.#calls > 0;
  }

  part(part: JsonObject): void {
    const text = stringOf(part.text);
    const call = objectOf(part.functionCall);
    const given = stringOf(part.thoughtSignature) ?? '';
    const carried = given === '' ? undefined : carriedIn(given);
    const signature = carried === undefined ? given : '';
    if (call !== undefined) this.#call(call, signature);
    else if (text !== undefined) {
      this.#prose(part.thought === true ? 'thinking' : 'text', text);
      for (const thought of carried ?? []) this.#restore(thought);
      if (signature !== '') this.#sign(signature, text === '' || part.thought === true ? 'end' : 'text');
    } else this.#other(part, signature);
  }

  /** Content that has no place among the parts. */
  beside(kind: string, part: JsonObject): void {
    this.#whole(foreignBlock('gemini', part, kind));
  }

  close(): void {
    this.#closeProse();
  }

  #prose(kind: Prose, text: string): void {
    if (text === '') return;
    const index = this.#open?.kind === kind ? this.#open.index : this.#openProse(kind);
    const delta =
      kind === 'thinking'
        ? ({ type: 'thinking_delta', thinking: text } as const)
        : ({ type: 'text_delta', text } as const);
    this.#emit({ type: 'content_block_delta', index, delta });
  }

  #openProse(kind: Prose): number {
    this.#closeProse();
    const index = this.#start(opened[kind]);
    this.#open = { kind, index };
    return index;
  }

  /** Calls come whole. Most have no id, and need one to be answered elsewhere. */
  #call(call: JsonObject, signature: string): void {
    const name = stringOf(call.name);
    if (name === undefined) return;
    const id = stringOf(call.id) || `call_${this.answerId}_${this.#calls}`;
    this.#calls++;
    this.#closeProse();
    if (signature !== '') this.#whole(sealedSignature({ model: this.model, signature, on: { call: id } }));
    const index = this.#start({ type: 'tool_use', id, name, input: {} });
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(call.args ?? {}) } as const;
    this.#emit({ type: 'content_block_delta', index, delta });
    this.#emit({ type: 'content_block_stop', index });
  }

  /** What the provider did by itself, and what it drew. */
  #other(part: JsonObject, signature: string): void {
    const kind = Object.keys(part).find((name) => name !== 'thought' && name !== 'thoughtSignature');
    if (kind !== undefined) this.beside(kind, part);
    else if (signature !== '') this.#sign(signature, 'end');
  }

  /** Another gateway of this kind in between carried it; on a call it stands a second time. */
  #restore(thought: Thought): void {
    if (thought.type === 'redacted_thinking') {
      this.#whole(thought);
      return;
    }
    const index = this.#open?.kind === 'thinking' ? this.#open.index : this.#openProse('thinking');
    const delta = { type: 'signature_delta', signature: thought.signature ?? '' } as const;
    this.#emit({ type: 'content_block_delta', index, delta });
    this.#closeProse();
  }

  #sign(signature: string, on: 'text' | 'end'): void {
    this.#signatures.push({ model: this.model, signature, on });
  }

  #start(block: Block): number {
    const index = this.#next++;
    this.#emit({ type: 'content_block_start', index, content_block: block });
    return index;
  }

  #whole(block: Block): void {
    this.#closeProse();
    this.#emit({ type: 'content_block_stop', index: this.#start(block) });
  }

  #closeProse(): void {
    if (this.#open !== undefined) this.#emit({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
    const signatures = this.#signatures;
    this.#signatures = [];
    for (const signature of signatures) this.#whole(sealedSignature(signature));
  }
}
