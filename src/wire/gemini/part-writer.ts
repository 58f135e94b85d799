import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Delta, ReplyEvent } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { toolInputOf } from '../openai/tool-input.ts';
import { carried, signatureIn, type Thought, unsigned } from './signatures.ts';

interface Open {
  readonly block: Block;
  /** What came of it so far, where it is of use only when it is whole. */
  text: string;
  signature: string;
}

/** Turns blocks into parts. A call goes out whole, and what was thought before it is signed for in its part. */
export class PartWriter {
  readonly #open = new Map<number, Open>();
  /** Thinking that has to come back as it is. */
  #kept: Thought[] = [];
  readonly #signatures = new Map<string, string>();
  #hasCalled = false;
  /** Signatures that stand in parts of their own. */
  readonly #ends: string[] = [];
  /** What is said of the answer beside its content. */
  beside: JsonObject = {};

  /** The parts that an event makes up. */
  push(event: ReplyEvent): readonly JsonObject[] {
    switch (event.type) {
      case 'content_block_start':
        return this.#start(event.index, event.content_block);
      case 'content_block_delta':
        return this.#grow(event.index, event.delta);
      case 'content_block_stop':
        return this.#stop(event.index);
      default:
        return [];
    }
  }

  end(): readonly JsonObject[] {
    return this.#ends.map((thoughtSignature) => ({ text: '', thoughtSignature }));
  }

  #start(index: number, block: Block): readonly JsonObject[] {
    this.#open.set(index, { block, text: '', signature: '' });
    const foreign = foreignOf(block);
    if (foreign?.wire === 'gemini') return this.#own(foreign.kind, foreign.part);
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : [{ text: block.text }];
      case 'thinking':
        return block.thinking === ''
          ? []
          : this.#grow(index, { type: 'thinking_delta', thinking: block.thinking });
      case 'redacted_thinking':
        return this.#keep(block);
      default:
        return [];
    }
  }

  #own(kind: string, part: JsonObject): readonly JsonObject[] {
    if (kind !== 'groundingMetadata' && kind !== 'urlContextMetadata') return [part];
    this.beside = { ...this.beside, ...part };
    return [];
  }

  /** Google's own signatures go where they were. */
  #keep(thought: Thought): readonly JsonObject[] {
    const own = signatureIn(thought);
    if (own === undefined) {
      this.#kept.push(thought);
      return [{ text: '', thought: true, thoughtSignature: carried([thought]) }];
    }
    if (own.on === 'text' || own.on === 'end') this.#ends.push(own.signature);
    else this.#signatures.set(own.on.call, own.signature);
    return [];
  }

  #grow(index: number, delta: Delta): readonly JsonObject[] {
    const open = this.#open.get(index);
    switch (delta.type) {
      case 'text_delta':
        return delta.text === '' ? [] : [{ text: delta.text }];
      case 'thinking_delta':
        if (open !== undefined) open.text += delta.thinking;
        return delta.thinking === '' ? [] : [{ text: delta.thinking, thought: true }];
      case 'signature_delta':
        if (open !== undefined) open.signature += delta.signature;
        return [];
      case 'input_json_delta':
        if (open !== undefined) open.text += delta.partial_json;
        return [];
      default:
        return [];
    }
  }

  #stop(index: number): readonly JsonObject[] {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open === undefined) return [];
    const { block, text, signature } = open;
    const signed = block.type === 'thinking' ? signature || block.signature : undefined;
    if (signed) return this.#keep({ type: 'thinking', thinking: text, signature: signed });
    return block.type === 'tool_use' ? [this.#call(block, text)] : [];
  }

  #call({ id, name, input }: Extract<Block, { type: 'tool_use' }>, json: string): JsonObject {
    const kept = this.#kept;
    const thoughtSignature =
      this.#signatures.get(id) ?? (kept.length === 0 ? this.#inPlaceOfHidden() : carried(kept));
    this.#kept = [];
    this.#hasCalled = true;
    const args = json === '' ? (input ?? {}) : toolInputOf(json);
    return {
      functionCall: { id, name, args },
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    };
  }

  /** Of calls that were made together the first is signed; where clients don't see that one, the next would be refused when it comes back. */
  #inPlaceOfHidden(): string | undefined {
    return !this.#hasCalled && this.#signatures.size > 0 ? unsigned : undefined;
  }
}
