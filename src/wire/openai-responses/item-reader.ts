import type { Block, Delta, ReplyEvent, TextBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../json-values.ts';
import { toForeignCitation } from './annotations.ts';
import { isForeignItem, toForeignBlock, toForeignDelta } from './foreign-items.ts';
import { blocksOf, phaseOf, refusalIn, toolCallIdentity } from './read-response.ts';
import { createThinkingBlock, opaqueReasoningOf, reasoningTextOf } from './reasoning.ts';

interface OpenBlock {
  readonly index: number;
  /** Whether any delta has been emitted. */
  hasDeltas: boolean;
  /** Whether citations have been emitted. */
  hasCitations: boolean;
}

/** Turns the items of a stream into block events. */
export class ItemReader {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #openBlocks = new Map<string, OpenBlock>();
  readonly #seen = new Set<number>();
  /** Indexes of foreign items. */
  readonly #foreignItems = new Set<unknown>();
  /** Other items as first announced. */
  readonly #addedItems = new Map<number, JsonObject>();
  #nextIndex = 0;
  hasToolCalls = false;
  refusal = '';

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
  }

  /** Whether any content has arrived. */
  get hasContent(): boolean {
    return this.#nextIndex > 0;
  }

  read(type: string, frame: JsonObject): void {
    const item = numberOf(frame.output_index) ?? 0;
    const delta = stringOf(frame.delta) ?? '';
    if (this.#foreignItems.has(frame.output_index)) {
      this.#emitDelta(`${item}`, toForeignDelta(frame));
      if (type === 'response.output_item.done') this.#stop(`${item}`);
      return;
    }
    switch (type) {
      case 'response.output_item.added':
        this.#openItem(item, objectOf(frame.item) ?? {});
        return;
      case 'response.output_item.done':
        this.#completeItem(item, objectOf(frame.item) ?? {});
        return;
      case 'response.output_text.delta':
        this.#readText(item, frame, { type: 'text', text: delta });
        return;
      case 'response.refusal.delta':
        this.refusal += delta;
        this.#readText(item, frame, { type: 'text', text: delta, refusal: true });
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#readReasoning(item, delta);
        return;
      case 'response.reasoning_summary_part.added':
        if (this.#openBlocks.get(`${item}`)?.hasDeltas === true) this.#readReasoning(item, '\n\n');
        return;
      case 'response.function_call_arguments.delta':
        this.#emitDelta(`${item}`, { type: 'input_json_delta', partial_json: delta });
        return;
      case 'response.output_text.annotation.added':
        this.#cite(partKey(item, frame), [frame.annotation]);
        return;
      case 'response.content_part.done':
        this.#finishPart(partKey(item, frame), objectOf(frame.part));
        return;
    }
  }

  /** For providers that stream only the complete response. */
  readWhole(output: readonly JsonObject[]): void {
    for (const [at, item] of output.entries()) this.#completeItem(at, item);
  }

  close(): void {
    for (const key of [...this.#openBlocks.keys()]) this.#stop(key);
  }

  #openItem(at: number, item: JsonObject): void {
    this.#addedItems.set(at, item);
    if (isForeignItem(item)) {
      this.#foreignItems.add(at);
      this.#start(`${at}`, toForeignBlock(item));
      return;
    }
    if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return;
    this.hasToolCalls = true;
    this.#start(`${at}`, { type: 'tool_use', ...toolCallIdentity(item), input: {} });
    const begun = stringOf(item.arguments);
    if (begun !== undefined && begun !== '')
      this.#emitDelta(`${at}`, { type: 'input_json_delta', partial_json: begun });
  }

  #readText(at: number, frame: JsonObject, block: TextBlock): void {
    const key = partKey(at, frame);
    const { text } = block;
    if (!this.#openBlocks.has(key))
      this.#start(key, { ...block, text: '', ...phaseOf(this.#addedItems.get(at) ?? {}) });
    this.#emitDelta(key, { type: 'text_delta', text });
  }

  #cite(key: string, annotations: unknown): void {
    const openBlock = this.#openBlocks.get(key);
    if (openBlock === undefined) return;
    for (const annotation of objectsOf(annotations)) {
      openBlock.hasCitations = true;
      this.#emitDelta(key, { type: 'citations_delta', citation: toForeignCitation(annotation) });
    }
  }

  /** Some providers don't stream citations one by one. */
  #finishPart(key: string, part: JsonObject | undefined): void {
    if (this.#openBlocks.get(key)?.hasCitations === false) this.#cite(key, part?.annotations);
    this.#stop(key);
  }

  #readReasoning(at: number, thinking: string): void {
    if (!this.#openBlocks.has(`${at}`))
      this.#start(`${at}`, createThinkingBlock(this.#addedItems.get(at) ?? {}));
    if (thinking !== '') this.#emitDelta(`${at}`, { type: 'thinking_delta', thinking });
  }

  /** Emits what no delta contained, and closes the item. */
  #completeItem(at: number, item: JsonObject): void {
    const known = this.#seen.has(at);
    this.#seen.add(at);
    if (item.type === 'function_call' || item.type === 'custom_tool_call') this.#finishCall(at, item, known);
    else if (item.type === 'reasoning') this.#finishReasoning(at, item, known);
    else if (!known) {
      this.refusal += refusalIn([item]);
      for (const block of blocksOf(item)) this.#emitBlock(block);
    }
    for (const key of [...this.#openBlocks.keys()]) {
      if (key.startsWith(`${at}:`)) this.#finishPart(key, objectsOf(item.content)[Number(key.split(':')[1])]);
      else if (key === `${at}`) this.#stop(key);
    }
  }

  #finishCall(at: number, item: JsonObject, known: boolean): void {
    if (!known) this.#openItem(at, { ...item, arguments: '' });
    if (this.#openBlocks.get(`${at}`)?.hasDeltas !== false) return;
    this.#emitDelta(`${at}`, { type: 'input_json_delta', partial_json: completeInput(item) });
  }

  #finishReasoning(at: number, item: JsonObject, known: boolean): void {
    const half = opaqueReasoningOf(item);
    const signature = half !== undefined && 'signature' in half ? half.signature : undefined;
    const text = known ? '' : reasoningTextOf(item);
    this.#addedItems.set(at, item);
    if (text !== '' || (signature !== undefined && !known)) this.#readReasoning(at, text);
    if (signature !== undefined) this.#emitDelta(`${at}`, { type: 'signature_delta', signature });
    this.#stop(`${at}`);
    if (half !== undefined && 'data' in half) this.#emitBlock(half);
  }

  #emitBlock(block: Block): void {
    const key = `whole ${this.#nextIndex}`;
    this.#start(key, block.type === 'text' ? { ...block, text: '' } : block);
    if (block.type === 'text') this.#emitDelta(key, { type: 'text_delta', text: block.text });
    this.#stop(key);
  }

  #start(key: string, block: Block): void {
    const index = this.#nextIndex++;
    this.#openBlocks.set(key, { index, hasDeltas: false, hasCitations: false });
    this.#seen.add(Number.parseInt(key, 10));
    this.#emit({ type: 'content_block_start', index, content_block: block });
  }

  #emitDelta(key: string, delta: Delta): void {
    const openBlock = this.#openBlocks.get(key);
    if (openBlock === undefined) return;
    openBlock.hasDeltas = true;
    this.#emit({ type: 'content_block_delta', index: openBlock.index, delta });
  }

  #stop(key: string): void {
    const openBlock = this.#openBlocks.get(key);
    if (openBlock === undefined) return;
    this.#openBlocks.delete(key);
    this.#emit({ type: 'content_block_stop', index: openBlock.index });
  }
}

function partKey(item: number, { content_index }: JsonObject): string {
  return `${item}:${numberOf(content_index) ?? 0}`;
}

function completeInput(item: JsonObject): string {
  if (item.type === 'custom_tool_call') return JSON.stringify({ input: stringOf(item.input) ?? '' });
  return stringOf(item.arguments) || '{}';
}
