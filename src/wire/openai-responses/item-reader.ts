import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Delta, ReplyEvent, TextBlock } from '../../kernel/message.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../read.ts';
import { citationOf } from './annotations.ts';
import { isOwnItem, ownBlock, ownDelta } from './own-items.ts';
import { blocksOf, callOf, phaseOf, refusalIn } from './read-response.ts';
import { encryptedHalf, reasoningTextOf, thinkingFrom } from './reasoning.ts';

interface Open {
  readonly index: number;
  /** Whether anything of it has been passed on. */
  filled: boolean;
  /** Whether it was said what its text refers to. */
  cited: boolean;
}

/** Turns the items of a stream into blocks, which open and close. */
export class ItemReader {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #open = new Map<string, Open>();
  readonly #seen = new Set<number>();
  /** Which of the items are of kinds that no other format has. */
  readonly #own = new Set<unknown>();
  /** What was said of the others when they began. */
  readonly #added = new Map<number, JsonObject>();
  #next = 0;
  tools = false;
  refusal = '';

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
  }

  /** Whether any content has come. */
  get begun(): boolean {
    return this.#next > 0;
  }

  read(type: string, frame: JsonObject): void {
    const item = numberOf(frame.output_index) ?? 0;
    const delta = stringOf(frame.delta) ?? '';
    if (this.#own.has(frame.output_index)) {
      this.#grow(`${item}`, ownDelta(frame));
      if (type === 'response.output_item.done') this.#stop(`${item}`);
      return;
    }
    switch (type) {
      case 'response.output_item.added':
        this.#begin(item, objectOf(frame.item) ?? {});
        return;
      case 'response.output_item.done':
        this.#done(item, objectOf(frame.item) ?? {});
        return;
      case 'response.output_text.delta':
        this.#text(item, frame, { type: 'text', text: delta });
        return;
      case 'response.refusal.delta':
        this.refusal += delta;
        this.#text(item, frame, { type: 'text', text: delta, refusal: true });
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#think(item, delta);
        return;
      case 'response.reasoning_summary_part.added':
        if (this.#open.get(`${item}`)?.filled === true) this.#think(item, '\n\n');
        return;
      case 'response.function_call_arguments.delta':
        this.#grow(`${item}`, { type: 'input_json_delta', partial_json: delta });
        return;
      case 'response.output_text.annotation.added':
        this.#cite(partKey(item, frame), [frame.annotation]);
        return;
      case 'response.content_part.done':
        this.#finishPart(partKey(item, frame), objectOf(frame.part));
        return;
    }
  }

  /** For providers that stream nothing but the whole. */
  readWhole(output: readonly JsonObject[]): void {
    for (const [at, item] of output.entries()) this.#done(at, item);
  }

  close(): void {
    for (const key of [...this.#open.keys()]) this.#stop(key);
  }

  #begin(at: number, item: JsonObject): void {
    this.#added.set(at, item);
    if (isOwnItem(item)) {
      this.#own.add(at);
      this.#start(`${at}`, ownBlock(item));
      return;
    }
    if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return;
    this.tools = true;
    this.#start(`${at}`, { type: 'tool_use', ...callOf(item), input: {} });
    const begun = stringOf(item.arguments);
    if (begun !== undefined && begun !== '')
      this.#grow(`${at}`, { type: 'input_json_delta', partial_json: begun });
  }

  #text(at: number, frame: JsonObject, block: TextBlock): void {
    const key = partKey(at, frame);
    const { text } = block;
    if (!this.#open.has(key)) this.#start(key, { ...block, text: '', ...phaseOf(this.#added.get(at) ?? {}) });
    this.#grow(key, { type: 'text_delta', text });
  }

  #cite(key: string, annotations: unknown): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    for (const annotation of objectsOf(annotations)) {
      open.cited = true;
      this.#grow(key, { type: 'citations_delta', citation: citationOf(annotation) });
    }
  }

  /** Not everybody tells one by one what a text refers to. */
  #finishPart(key: string, part: JsonObject | undefined): void {
    if (this.#open.get(key)?.cited === false) this.#cite(key, part?.annotations);
    this.#stop(key);
  }

  #think(at: number, thinking: string): void {
    if (!this.#open.has(`${at}`)) this.#start(`${at}`, thinkingFrom(this.#added.get(at) ?? {}));
    if (thinking !== '') this.#grow(`${at}`, { type: 'thinking_delta', thinking });
  }

  /** Fills in what no delta brought, and closes the item. */
  #done(at: number, item: JsonObject): void {
    const known = this.#seen.has(at);
    this.#seen.add(at);
    if (item.type === 'function_call' || item.type === 'custom_tool_call') this.#finishCall(at, item, known);
    else if (item.type === 'reasoning') this.#finishReasoning(at, item, known);
    else if (!known) {
      this.refusal += refusalIn([item]);
      for (const block of blocksOf(item)) this.#whole(block);
    }
    for (const key of [...this.#open.keys()]) {
      if (key.startsWith(`${at}:`)) this.#finishPart(key, objectsOf(item.content)[Number(key.split(':')[1])]);
      else if (key === `${at}`) this.#stop(key);
    }
  }

  #finishCall(at: number, item: JsonObject, known: boolean): void {
    if (!known) this.#begin(at, { ...item, arguments: '' });
    if (this.#open.get(`${at}`)?.filled !== false) return;
    this.#grow(`${at}`, { type: 'input_json_delta', partial_json: wholeInput(item) });
  }

  #finishReasoning(at: number, item: JsonObject, known: boolean): void {
    const half = encryptedHalf(item);
    const signature = half !== undefined && 'signature' in half ? half.signature : undefined;
    const text = known ? '' : reasoningTextOf(item);
    this.#added.set(at, item);
    if (text !== '' || (signature !== undefined && !known)) this.#think(at, text);
    if (signature !== undefined) this.#grow(`${at}`, { type: 'signature_delta', signature });
    this.#stop(`${at}`);
    if (half !== undefined && 'data' in half) this.#whole(half);
  }

  #whole(block: Block): void {
    const key = `whole ${this.#next}`;
    this.#start(key, block.type === 'text' ? { ...block, text: '' } : block);
    if (block.type === 'text') this.#grow(key, { type: 'text_delta', text: block.text });
    this.#stop(key);
  }

  #start(key: string, block: Block): void {
    const index = this.#next++;
    this.#open.set(key, { index, filled: false, cited: false });
    this.#seen.add(Number.parseInt(key, 10));
    this.#emit({ type: 'content_block_start', index, content_block: block });
  }

  #grow(key: string, delta: Delta): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    open.filled = true;
    this.#emit({ type: 'content_block_delta', index: open.index, delta });
  }

  #stop(key: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    this.#emit({ type: 'content_block_stop', index: open.index });
  }
}

function partKey(item: number, { content_index }: JsonObject): string {
  return `${item}:${numberOf(content_index) ?? 0}`;
}

function wholeInput(item: JsonObject): string {
  if (item.type === 'custom_tool_call') return JSON.stringify({ input: stringOf(item.input) ?? '' });
  return stringOf(item.arguments) || '{}';
}
