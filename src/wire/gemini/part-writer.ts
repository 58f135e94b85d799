import type { Block, Delta, ReplyEvent } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignPartOf } from '../foreign.ts';
import { toolInputOf } from '../tool-input.ts';
import {
  type AnyThinkingBlock,
  encodeCarriedThinking,
  noCarriedThinking,
  signatureIn,
  skipSignatureValidation,
} from './signatures.ts';

interface OpenBlock {
  readonly block: Block;
  /** The content so far, for blocks that are only useful when complete. */
  text: string;
  signature: string;
}

/** Turns blocks into parts. A call goes out complete, with the signature of the thinking before it. */
export class PartWriter {
  readonly #openBlocks = new Map<number, OpenBlock>();
  /** Thinking that must come back unchanged. */
  #carriedThinking: AnyThinkingBlock[] = [];
  readonly #callSignatures = new Map<string, string>();
  #hasCalled = false;
  /** Signatures in their own parts. */
  readonly #trailingSignatures: string[] = [];
  /** Reply metadata outside of the content. */
  metadata: JsonObject = {};

  /** The parts for an event. */
  push(event: ReplyEvent): readonly JsonObject[] {
    switch (event.type) {
      case 'content_block_start':
        return this.#start(event.index, event.content_block);
      case 'content_block_delta':
        return this.#append(event.index, event.delta);
      case 'content_block_stop':
        return this.#stop(event.index);
      default:
        return [];
    }
  }

  end(): readonly JsonObject[] {
    return this.#trailingSignatures.map((thoughtSignature) => ({ text: '', thoughtSignature }));
  }

  #start(index: number, block: Block): readonly JsonObject[] {
    this.#openBlocks.set(index, { block, text: '', signature: '' });
    const foreignPart = foreignPartOf(block);
    if (foreignPart?.wire === 'gemini') return this.#writeForeign(foreignPart.kind, foreignPart.part);
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : [{ text: block.text }];
      case 'thinking':
        return block.thinking === ''
          ? []
          : this.#append(index, { type: 'thinking_delta', thinking: block.thinking });
      case 'redacted_thinking':
        return this.#carryThinking(block);
      default:
        return [];
    }
  }

  #writeForeign(kind: string, part: JsonObject): readonly JsonObject[] {
    if (kind !== 'groundingMetadata' && kind !== 'urlContextMetadata') return [part];
    this.metadata = { ...this.metadata, ...part };
    return [];
  }

  /** Google's own signatures return to their original positions. */
  #carryThinking(anyThinkingBlock: AnyThinkingBlock): readonly JsonObject[] {
    const own = signatureIn(anyThinkingBlock);
    if (own === undefined) {
      this.#carriedThinking.push(anyThinkingBlock);
      return [{ text: '', thought: true, thoughtSignature: encodeCarriedThinking([anyThinkingBlock]) }];
    }
    if (own.on === 'text' || own.on === 'end') this.#trailingSignatures.push(own.signature);
    else this.#callSignatures.set(own.on.call, own.signature);
    return [];
  }

  #append(index: number, delta: Delta): readonly JsonObject[] {
    const openBlock = this.#openBlocks.get(index);
    switch (delta.type) {
      case 'text_delta':
        return delta.text === '' ? [] : [{ text: delta.text }];
      case 'thinking_delta':
        if (openBlock !== undefined) openBlock.text += delta.thinking;
        return delta.thinking === '' ? [] : [{ text: delta.thinking, thought: true }];
      case 'signature_delta':
        if (openBlock !== undefined) openBlock.signature += delta.signature;
        return [];
      case 'input_json_delta':
        if (openBlock !== undefined) openBlock.text += delta.partial_json;
        return [];
      default:
        return [];
    }
  }

  #stop(index: number): readonly JsonObject[] {
    const openBlock = this.#openBlocks.get(index);
    this.#openBlocks.delete(index);
    if (openBlock === undefined) return [];
    const { block, text, signature } = openBlock;
    const signed = block.type === 'thinking' ? signature || block.signature : undefined;
    if (signed) return this.#carryThinking({ type: 'thinking', thinking: text, signature: signed });
    return block.type === 'tool_use' ? [this.#call(block, text)] : [];
  }

  #call({ id, name, input }: Extract<Block, { type: 'tool_use' }>, json: string): JsonObject {
    const carried = this.#carriedThinking;
    const thoughtSignature =
      this.#callSignatures.get(id) ??
      (carried.length === 0 ? this.#placeholderSignature() : encodeCarriedThinking(carried));
    this.#carriedThinking = [];
    this.#hasCalled = true;
    const args = json === '' ? (input ?? {}) : toolInputOf(json);
    return {
      functionCall: { id, name, args },
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    };
  }

  /**
   * The first of parallel calls must be signed when it comes to Google. If clients don't see the signed one, the next is
   * marked; so is one of a model that signs nothing, since the next turn may go to Google.
   */
  #placeholderSignature(): string | undefined {
    if (this.#hasCalled) return undefined;
    return this.#callSignatures.size > 0 ? skipSignatureValidation : noCarriedThinking;
  }
}
