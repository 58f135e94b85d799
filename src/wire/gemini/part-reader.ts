import type { JsonObject } from '../../kernel/json.ts';
import type { Block, ReplyEvent } from '../../kernel/message.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../read.ts';
import { isPartial, PartialArguments } from './partial-arguments.ts';
import { carriedIn, type Signature, sealedSignature, type Thought } from './signatures.ts';

type Prose = 'text' | 'thinking';

const opened: Readonly<Record<Prose, Block>> = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

/** A call whose arguments are still coming. */
interface GrowingCall {
  readonly index: number;
  readonly id: string;
  readonly json: PartialArguments;
}

/** Turns the parts of an answer into blocks, which open and close. */
export class PartReader {
  readonly #emit: (event: ReplyEvent) => void;
  #next = 0;
  #open: { readonly kind: Prose; readonly index: number } | undefined;
  #growing: GrowingCall | undefined;
  /** What signs what is open, and comes behind it. */
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

  /** Whether it could be read: what doesn't fit what came before can't. */
  part(part: JsonObject): boolean {
    const text = stringOf(part.text);
    const call = objectOf(part.functionCall);
    const given = stringOf(part.thoughtSignature) ?? '';
    const carried = given === '' ? undefined : carriedIn(given);
    const signature = carried === undefined ? given : '';
    if (call !== undefined) return this.#call(call, signature);
    if (text !== undefined) {
      this.#prose(part.thought === true ? 'thinking' : 'text', text);
      for (const thought of carried ?? []) this.#restore(thought);
      if (signature !== '') this.#sign(signature, text === '' || part.thought === true ? 'end' : 'text');
    } else this.#other(part, signature);
    return true;
  }

  /** Content that has no place among the parts. */
  beside(kind: string, part: JsonObject): void {
    this.#whole(foreignBlock('gemini', part, kind));
  }

  /** `cut` where the model had not said all: what is there of a call's arguments is left as it is. */
  close(cut: boolean): void {
    if (cut && this.#growing !== undefined) this.#stopGrowing(this.#growing.index);
    this.#closeOpen();
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
    this.#closeOpen();
    const index = this.#start(opened[kind]);
    this.#open = { kind, index };
    return index;
  }

  /** Calls come whole, or in pieces of which the first has the name. Most have no id, and need one to be answered elsewhere. */
  #call(call: JsonObject, signature: string): boolean {
    const name = stringOf(call.name) || undefined;
    if (name === undefined) return this.#grow(call, signature);
    const id = stringOf(call.id) || `call_${this.answerId}_${this.#calls}`;
    this.#calls++;
    this.#closeOpen();
    if (signature !== '') this.#whole(sealedSignature({ model: this.model, signature, on: { call: id } }));
    const index = this.#start({ type: 'tool_use', id, name, input: {} });
    if (isPartial(call)) {
      this.#growing = { index, id, json: new PartialArguments() };
      return this.#grow(call, '');
    }
    this.#tell(index, JSON.stringify(call.args ?? {}));
    this.#emit({ type: 'content_block_stop', index });
    return true;
  }

  #grow(call: JsonObject, signature: string): boolean {
    if (this.#growing === undefined) return true;
    const { index, id, json } = this.#growing;
    const text = json.write(call);
    if (text === undefined) return false;
    this.#tell(index, text);
    if (signature !== '') this.#signatures.push({ model: this.model, signature, on: { call: id } });
    if (call.willContinue !== true) this.#closeOpen();
    return true;
  }

  #tell(index: number, partial_json: string): void {
    if (partial_json === '') return;
    this.#emit({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
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
    this.#closeOpen();
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
    this.#closeOpen();
    this.#emit({ type: 'content_block_stop', index: this.#start(block) });
  }

  #closeOpen(): void {
    if (this.#growing !== undefined) {
      this.#tell(this.#growing.index, this.#growing.json.end());
      this.#stopGrowing(this.#growing.index);
    }
    if (this.#open !== undefined) this.#emit({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
    const signatures = this.#signatures;
    this.#signatures = [];
    for (const signature of signatures) this.#whole(sealedSignature(signature));
  }

  #stopGrowing(index: number): void {
    this.#growing = undefined;
    this.#emit({ type: 'content_block_stop', index });
  }
}
