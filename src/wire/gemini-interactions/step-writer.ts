import type { Block, Delta } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf } from '../json-values.ts';
import { isContent } from './decode-content.ts';
import { ownPartOf, textPart } from './encode-content.ts';
import { annotationsOf } from './encode-interaction.ts';
import { sealForeignSignature, signatureOfRedacted } from './thoughts.ts';

interface OpenBlock {
  readonly block: Block;
  /** Undefined if the block has no step. */
  readonly step: number | undefined;
  text: string;
  signature: string;
}

/** Turns blocks into the events of steps. */
export class StepWriter {
  readonly #emit: (type: string, fields: JsonObject) => void;
  readonly #openBlocks = new Map<number, OpenBlock>();
  #nextStep = 0;
  /** A thought that is complete but for its signature, which may follow as a block of its own. */
  #unsignedThought: number | undefined;

  constructor(emit: (type: string, fields: JsonObject) => void) {
    this.#emit = emit;
  }

  start(index: number, block: Block): void {
    if (block.type === 'redacted_thinking') {
      this.#signThought(
        this.#unsignedThought ?? this.#startStep({ type: 'thought' }),
        signatureOfRedacted(block),
      );
      return;
    }
    this.#closeThought();
    const openBlock: OpenBlock = { block, step: this.#startBlock(block), text: '', signature: '' };
    this.#openBlocks.set(index, openBlock);
    if (block.type === 'text' && block.text !== '') this.#addText(openBlock, block.text);
    if (block.type === 'thinking' && block.thinking !== '') this.#addThinking(openBlock, block.thinking);
  }

  append(index: number, delta: Delta): void {
    const openBlock = this.#openBlocks.get(index);
    if (openBlock === undefined) return;
    const { step } = openBlock;
    switch (delta.type) {
      case 'text_delta':
        this.#addText(openBlock, delta.text);
        return;
      case 'thinking_delta':
        this.#addThinking(openBlock, delta.thinking);
        return;
      case 'signature_delta':
        openBlock.signature += delta.signature;
        return;
      case 'input_json_delta':
        if (delta.partial_json === '') return;
        openBlock.text += delta.partial_json;
        this.#addDelta(step, { type: 'arguments_delta', arguments: delta.partial_json });
        return;
      case 'citations_delta': {
        const annotations = annotationsOf(objectsOf([delta.citation]), openBlock.text);
        if (annotations.length > 0) this.#addDelta(step, { type: 'text_annotation_delta', annotations });
        return;
      }
      case 'foreign_delta':
        if (delta.frame !== undefined) this.#addDelta(step, delta.frame);
        return;
    }
  }

  stop(index: number): void {
    const openBlock = this.#openBlocks.get(index);
    this.#openBlocks.delete(index);
    if (openBlock?.step === undefined) return;
    const { block, step, text, signature } = openBlock;
    if (block.type === 'thinking') {
      const signed = signature || block.signature;
      if (signed) this.#signThought(step, sealForeignSignature(signed));
      else this.#unsignedThought = step;
      return;
    }
    if (block.type === 'tool_use' && text === '')
      this.#addDelta(step, { type: 'arguments_delta', arguments: JSON.stringify(block.input ?? {}) });
    this.#stopStep(step);
  }

  close(): void {
    for (const index of [...this.#openBlocks.keys()]) this.stop(index);
    this.#closeThought();
  }

  #startBlock(block: Block): number | undefined {
    switch (block.type) {
      case 'text':
        return this.#startStep({ type: 'model_output' });
      case 'thinking':
        return this.#startStep({ type: 'thought' });
      case 'tool_use': {
        const { id, name } = block;
        return this.#startStep({ type: 'function_call', id, name, arguments: {} });
      }
      default: {
        const own = ownPartOf(block);
        if (own === undefined) return undefined;
        if (!isContent(own)) return this.#startStep(own);
        const step = this.#startStep({ type: 'model_output' });
        this.#addDelta(step, own);
        return step;
      }
    }
  }

  #addText(openBlock: OpenBlock, text: string): void {
    if (text === '') return;
    openBlock.text += text;
    this.#addDelta(openBlock.step, textPart(text));
  }

  #addThinking({ step }: OpenBlock, thinking: string): void {
    if (thinking !== '') this.#addDelta(step, { type: 'thought_summary', content: textPart(thinking) });
  }

  /** Nobody signed it: an empty seal shows that Google didn't. */
  #closeThought(): void {
    if (this.#unsignedThought !== undefined)
      this.#signThought(this.#unsignedThought, sealForeignSignature(''));
  }

  #signThought(step: number, signature: string): void {
    this.#unsignedThought = undefined;
    this.#addDelta(step, { type: 'thought_signature', signature });
    this.#stopStep(step);
  }

  #startStep(step: JsonObject): number {
    const index = this.#nextStep++;
    this.#emit('step.start', { index, step });
    return index;
  }

  #addDelta(index: number | undefined, delta: JsonObject): void {
    if (index !== undefined) this.#emit('step.delta', { index, delta });
  }

  #stopStep(index: number): void {
    this.#emit('step.stop', { index });
  }
}
