import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Delta, ReplyEvent, TextBlock } from '../../kernel/message.ts';
import { numberOf, objectOf, stringOf } from '../read.ts';
import { blocksOf, callOf, refusalIn } from './read-response.ts';
import { encryptedHalf, reasoningTextOf } from './reasoning.ts';

interface Open {
  readonly index: number;
  /** Whether anything of it has been passed on. */
  filled: boolean;
}

/** Turns the items of a stream into blocks, which open and close. */
export class ItemReader {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #open = new Map<string, Open>();
  readonly #seen = new Set<number>();
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
    switch (type) {
      case 'response.output_item.added':
        this.#added(item, objectOf(frame.item) ?? {});
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
      case 'response.content_part.done':
        this.#stop(`${item}:${numberOf(frame.content_index) ?? 0}`);
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

  #added(at: number, item: JsonObject): void {
    if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return;
    this.tools = true;
    this.#start(`${at}`, { type: 'tool_use', ...callOf(item), input: {} });
    const begun = stringOf(item.arguments);
    if (begun !== undefined && begun !== '')
      this.#grow(`${at}`, { type: 'input_json_delta', partial_json: begun });
  }

  #text(at: number, frame: JsonObject, block: TextBlock): void {
    const key = `${at}:${numberOf(frame.content_index) ?? 0}`;
    const { text } = block;
    if (!this.#open.has(key)) this.#start(key, { ...block, text: '' });
    this.#grow(key, { type: 'text_delta', text });
  }

  #think(at: number, thinking: string): void {
    if (!this.#open.has(`${at}`)) this.#start(`${at}`, { type: 'thinking', thinking: '', signature: '' });
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
    for (const key of [...this.#open.keys()])
      if (key === `${at}` || key.startsWith(`${at}:`)) this.#stop(key);
  }

  #finishCall(at: number, item: JsonObject, known: boolean): void {
    if (!known) this.#added(at, { ...item, arguments: '' });
    if (this.#open.get(`${at}`)?.filled !== false) return;
    this.#grow(`${at}`, { type: 'input_json_delta', partial_json: wholeInput(item) });
  }

  #finishReasoning(at: number, item: JsonObject, known: boolean): void {
    const half = encryptedHalf(item);
    const signature = half !== undefined && 'signature' in half ? half.signature : undefined;
    const text = known ? '' : reasoningTextOf(item);
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
    this.#open.set(key, { index, filled: false });
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

function wholeInput(item: JsonObject): string {
  if (item.type === 'custom_tool_call') return JSON.stringify({ input: stringOf(item.input) ?? '' });
  return stringOf(item.arguments) || '{}';
}
