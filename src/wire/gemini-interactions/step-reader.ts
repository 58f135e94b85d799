import type { Block, Delta, ReplyEvent } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignBlock } from '../foreign.ts';
import { decodeFunctionName } from '../gemini/function-names.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { callIdentityOf } from './decode-steps.ts';
import { decodeSignature, summaryTextOf } from './thoughts.ts';

interface OpenStep {
  /** As announced, with what its deltas added. */
  step: JsonObject;
  /** The open block, if the step has one. */
  block: number | undefined;
  hasArguments: boolean;
}

/** Turns steps, complete or in pieces, into block events. */
export class StepReader {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #openSteps = new Map<unknown, OpenStep>();
  #nextIndex = 0;
  /** The model that signs the thoughts. */
  model = '';
  hasToolCalls = false;

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
  }

  /** Whether any content has arrived. */
  get hasContent(): boolean {
    return this.#nextIndex > 0;
  }

  /** A step may start with a part of its content, or with all of it. */
  start(index: unknown, step: JsonObject): void {
    const openStep: OpenStep = { step, block: undefined, hasArguments: false };
    this.#openSteps.set(index, openStep);
    switch (step.type) {
      case 'user_input':
        return;
      case 'model_output':
        for (const part of objectsOf(step.content)) {
          this.#stop(openStep);
          this.#readPart(openStep, part);
        }
        return;
      case 'thought':
        this.#think(openStep, summaryTextOf(step));
        return;
      case 'function_call':
        this.hasToolCalls = true;
        openStep.block = this.#start({ type: 'tool_use', ...callIn(step), input: {} });
        return;
      default:
        openStep.block = this.#start(foreignBlock('gemini-interactions', step));
    }
  }

  append(index: unknown, delta: JsonObject): void {
    const openStep = this.#openSteps.get(index);
    if (openStep === undefined) return;
    switch (openStep.step.type) {
      case 'model_output':
        this.#readPart(openStep, delta);
        return;
      case 'thought':
        if (delta.type === 'thought_summary')
          this.#think(openStep, stringOf(objectOf(delta.content)?.text) ?? '');
        else if (delta.signature !== undefined)
          openStep.step = { ...openStep.step, signature: delta.signature };
        return;
      case 'function_call':
        if (delta.type === 'arguments_delta') this.#addArguments(openStep, stringOf(delta.arguments) ?? '');
        return;
      default:
        openStep.step = mergeDelta(openStep.step, delta);
        this.#append(openStep, { type: 'foreign_delta', frame: delta });
    }
  }

  stop(index: unknown): void {
    const openStep = this.#openSteps.get(index);
    if (openStep === undefined) return;
    this.#openSteps.delete(index);
    const { step } = openStep;
    switch (step.type) {
      case 'model_output':
        break;
      case 'thought':
        this.#sign(openStep, stringOf(step.signature) ?? '');
        return;
      case 'function_call':
        if (!openStep.hasArguments) this.#addArguments(openStep, JSON.stringify(step.arguments ?? {}));
        break;
      default:
        this.#append(openStep, { type: 'foreign_delta', part: step });
    }
    this.#stop(openStep);
  }

  close(): void {
    for (const index of [...this.#openSteps.keys()]) this.stop(index);
  }

  /** Part of an output: text, its sources, or media, which only this format has in answers. */
  #readPart(openStep: OpenStep, part: JsonObject): void {
    const text = part.type === 'text' ? stringOf(part.text) : undefined;
    if (text !== undefined && text !== '') {
      openStep.block ??= this.#start({ type: 'text', text: '' });
      this.#append(openStep, { type: 'text_delta', text });
    }
    if (part.type === 'text' || part.type === 'text_annotation_delta') {
      for (const annotation of objectsOf(part.annotations))
        this.#append(openStep, {
          type: 'citations_delta',
          citation: foreignBlock('gemini-interactions', annotation),
        });
      return;
    }
    this.#stop(openStep);
    openStep.block = this.#start(foreignBlock('gemini-interactions', part));
    this.#stop(openStep);
  }

  #think(openStep: OpenStep, thinking: string): void {
    if (thinking === '') return;
    openStep.block ??= this.#start({ type: 'thinking', thinking: '', signature: '' });
    this.#append(openStep, { type: 'thinking_delta', thinking });
  }

  #sign(openStep: OpenStep, signature: string): void {
    const opaque = decodeSignature(signature, this.model);
    if (opaque !== undefined && 'signature' in opaque) {
      openStep.block ??= this.#start({ type: 'thinking', thinking: '', signature: '' });
      this.#append(openStep, { type: 'signature_delta', signature: opaque.signature });
    }
    this.#stop(openStep);
    if (opaque === undefined || 'signature' in opaque) return;
    openStep.block = this.#start(opaque);
    this.#stop(openStep);
  }

  #addArguments(openStep: OpenStep, partial_json: string): void {
    openStep.hasArguments ||= partial_json !== '';
    this.#append(openStep, { type: 'input_json_delta', partial_json });
  }

  #start(content_block: Block): number {
    const index = this.#nextIndex++;
    this.#emit({ type: 'content_block_start', index, content_block });
    return index;
  }

  #append({ block: index }: OpenStep, delta: Delta): void {
    if (index !== undefined) this.#emit({ type: 'content_block_delta', index, delta });
  }

  #stop(openStep: OpenStep): void {
    const { block: index } = openStep;
    openStep.block = undefined;
    if (index !== undefined) this.#emit({ type: 'content_block_stop', index });
  }
}

function callIn(step: JsonObject): { readonly id: string; readonly name: string } {
  const { id, name } = callIdentityOf(step);
  return { id, name: decodeFunctionName(name) };
}

/** Lists and results arrive in pieces, other fields as a whole. */
function mergeDelta(step: JsonObject, { type: _, ...delta }: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...step };
  for (const [name, value] of Object.entries(delta)) {
    const before = merged[name];
    if (Array.isArray(before) && Array.isArray(value)) merged[name] = [...before, ...value];
    else if (name === 'result' && typeof before === 'string' && typeof value === 'string')
      merged[name] = before + value;
    else merged[name] = value;
  }
  return merged;
}
