import type { Block, ReplyEvent } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { decodeFunctionName } from './function-names.ts';
import { isPartialCall, PartialArgumentsWriter } from './partial-arguments.ts';
import {
  type AnyThinkingBlock,
  decodeCarriedThinking,
  type ThoughtSignature,
  toSignatureBlock,
} from './signatures.ts';

type TextKind = 'text' | 'thinking';

const emptyBlocks: Readonly<Record<TextKind, Block>> = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

/** A call whose arguments are still arriving. */
interface PartialCall {
  readonly index: number;
  readonly id: string;
  readonly json: PartialArgumentsWriter;
}

/** Turns the parts of a reply into block events. */
export class PartReader {
  readonly #emit: (event: ReplyEvent) => void;
  #nextIndex = 0;
  #open: { readonly kind: TextKind; readonly index: number } | undefined;
  #partialCall: PartialCall | undefined;
  /** Signatures of the open block, emitted after it. */
  #signatures: ThoughtSignature[] = [];
  #calls = 0;
  /** The model that answers, by its reported name. */
  model = '';
  answerId = '';

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
  }

  /** Whether any content has arrived. */
  get hasContent(): boolean {
    return this.#nextIndex > 0;
  }

  get hasToolCalls(): boolean {
    return this.#calls > 0;
  }

  /** False if the part contradicts earlier ones. */
  readPart(part: JsonObject): boolean {
    const text = stringOf(part.text);
    const call = objectOf(part.functionCall);
    const rawSignature = stringOf(part.thoughtSignature) ?? '';
    const carried = rawSignature === '' ? undefined : decodeCarriedThinking(rawSignature);
    const signature = carried === undefined ? rawSignature : '';
    if (call !== undefined) return this.#readCall(call, signature);
    if (text !== undefined) {
      this.#emitText(part.thought === true ? 'thinking' : 'text', text);
      for (const anyThinkingBlock of carried ?? []) this.#restore(anyThinkingBlock);
      if (signature !== '') this.#sign(signature, text === '' || part.thought === true ? 'end' : 'text');
    } else this.#readForeign(part, signature);
    return true;
  }

  /** Adds content that is outside of the parts. */
  addForeign(kind: string, part: JsonObject): void {
    this.#emitBlock(foreignBlock('gemini', part, kind));
  }

  /** `cut` if the model was interrupted: incomplete call arguments stay as they are. */
  close(cut: boolean): void {
    if (cut && this.#partialCall !== undefined) this.#endPartialCall(this.#partialCall.index);
    this.#closeOpen();
  }

  #emitText(textKind: TextKind, text: string): void {
    if (text === '') return;
    const index = this.#open?.kind === textKind ? this.#open.index : this.#openText(textKind);
    const delta =
      textKind === 'thinking'
        ? ({ type: 'thinking_delta', thinking: text } as const)
        : ({ type: 'text_delta', text } as const);
    this.#emit({ type: 'content_block_delta', index, delta });
  }

  #openText(textKind: TextKind): number {
    this.#closeOpen();
    const index = this.#start(emptyBlocks[textKind]);
    this.#open = { kind: textKind, index };
    return index;
  }

  /** Calls arrive complete, or in pieces with the name in the first. Most have no id; other formats need one. */
  #readCall(call: JsonObject, signature: string): boolean {
    const given = stringOf(call.name) || undefined;
    if (given === undefined) return this.#continueCall(call, signature);
    const name = decodeFunctionName(given);
    const id = stringOf(call.id) || `call_${this.answerId}_${this.#calls}`;
    this.#calls++;
    this.#closeOpen();
    if (signature !== '')
      this.#emitBlock(toSignatureBlock({ model: this.model, signature, on: { call: id } }));
    const index = this.#start({ type: 'tool_use', id, name, input: {} });
    if (isPartialCall(call)) {
      this.#partialCall = { index, id, json: new PartialArgumentsWriter() };
      return this.#continueCall(call, '');
    }
    this.#emitArguments(index, JSON.stringify(call.args ?? {}));
    this.#emit({ type: 'content_block_stop', index });
    return true;
  }

  #continueCall(call: JsonObject, signature: string): boolean {
    if (this.#partialCall === undefined) return true;
    const { index, id, json } = this.#partialCall;
    const text = json.write(call);
    if (text === undefined) return false;
    this.#emitArguments(index, text);
    if (signature !== '') this.#signatures.push({ model: this.model, signature, on: { call: id } });
    if (call.willContinue !== true) this.#closeOpen();
    return true;
  }

  #emitArguments(index: number, partial_json: string): void {
    if (partial_json === '') return;
    this.#emit({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
  }

  /** Provider tool results and generated pictures. */
  #readForeign(part: JsonObject, signature: string): void {
    const kind = Object.keys(part).find((name) => name !== 'thought' && name !== 'thoughtSignature');
    if (kind !== undefined) this.addForeign(kind, part);
    else if (signature !== '') this.#sign(signature, 'end');
  }

  /** Thinking that another Weir gateway carried; a call repeats it. */
  #restore(anyThinkingBlock: AnyThinkingBlock): void {
    if (anyThinkingBlock.type === 'redacted_thinking') {
      this.#emitBlock(anyThinkingBlock);
      return;
    }
    const index = this.#open?.kind === 'thinking' ? this.#open.index : this.#openText('thinking');
    const delta = { type: 'signature_delta', signature: anyThinkingBlock.signature ?? '' } as const;
    this.#emit({ type: 'content_block_delta', index, delta });
    this.#closeOpen();
  }

  #sign(signature: string, on: 'text' | 'end'): void {
    this.#signatures.push({ model: this.model, signature, on });
  }

  #start(block: Block): number {
    const index = this.#nextIndex++;
    this.#emit({ type: 'content_block_start', index, content_block: block });
    return index;
  }

  #emitBlock(block: Block): void {
    this.#closeOpen();
    this.#emit({ type: 'content_block_stop', index: this.#start(block) });
  }

  #closeOpen(): void {
    if (this.#partialCall !== undefined) {
      this.#emitArguments(this.#partialCall.index, this.#partialCall.json.end());
      this.#endPartialCall(this.#partialCall.index);
    }
    if (this.#open !== undefined) this.#emit({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
    const signatures = this.#signatures;
    this.#signatures = [];
    for (const thoughtSignature of signatures) this.#emitBlock(toSignatureBlock(thoughtSignature));
  }

  #endPartialCall(index: number): void {
    this.#partialCall = undefined;
    this.#emit({ type: 'content_block_stop', index });
  }
}
