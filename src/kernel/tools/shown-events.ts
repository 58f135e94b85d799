import { isJsonObject } from '../json.ts';
import type { Block, Delta, ReplyEvent, ToolUseBlock } from '../message.ts';
import { awaitedIn, type Shown } from './kept-turn.ts';

/** What stands between what the model said before and after a call that nobody sees. */
const pause = '\n\n';

/** Makes one message of several: one start, its blocks numbered through, and nothing of our own tools in it. */
export class ShownEvents implements Shown {
  text = '';
  readonly calls: string[] = [];
  /** Whether anything was not shown. */
  hasHidden = false;
  readonly #isHidden: (block: Block) => boolean;
  #blocks = 0;
  #rounds = 0;
  /** Which number a block of this round has for the client; undefined for what it doesn't see. */
  #numbers = new Map<number, number | undefined>();
  /** Whether this round has said nothing yet, after others that have. */
  #resumes = false;
  /** The block of this round that stands behind a pause. */
  #moved: number | undefined;

  constructor(isHidden: (block: Block) => boolean) {
    this.#isHidden = isHidden;
  }

  /** Of one event of a round, without its end, which comes once for all of them. */
  *of(event: ReplyEvent): Generator<ReplyEvent> {
    switch (event.type) {
      case 'message_start':
        this.#numbers = new Map();
        this.#moved = undefined;
        this.#resumes = this.text !== '';
        if (this.#rounds++ === 0) yield event;
        return;
      case 'content_block_start':
        yield* this.#start(event.index, event.content_block);
        return;
      case 'content_block_delta': {
        const index = this.#numbers.get(event.index);
        if (index === undefined) return;
        yield { ...event, index, delta: this.#shown(event.index, event.delta) };
        return;
      }
      case 'content_block_stop': {
        const index = this.#numbers.get(event.index);
        if (index !== undefined) yield { ...event, index };
        return;
      }
      case 'message_delta':
      case 'message_stop':
        return;
      default:
        yield event;
    }
  }

  #shown(index: number, delta: Delta): Delta {
    if (delta.type === 'text_delta') {
      if (this.#resumes && delta.text !== '') this.#moved = index;
      return { ...delta, text: this.#said(delta.text) };
    }
    if (delta.type !== 'citations_delta' || index !== this.#moved) return delta;
    return { ...delta, citation: moved(delta.citation) };
  }

  *#start(index: number, block: Block): Generator<ReplyEvent> {
    const isHidden = this.#isHidden(block);
    this.hasHidden ||= isHidden;
    this.#numbers.set(index, isHidden ? undefined : this.#blocks);
    if (isHidden) return;
    const awaited = awaitedIn(block);
    if (typeof awaited === 'string') this.calls.push(awaited);
    yield { type: 'content_block_start', index: this.#blocks++, content_block: this.#begun(block) };
  }

  /** A text may come with what it refers to before its words. */
  #begun(block: Block): Block {
    if (block.type !== 'text') return block;
    const cited =
      this.#resumes && 'citations' in block && Array.isArray(block.citations)
        ? { citations: block.citations.map(moved) }
        : {};
    return block.text === '' && !this.#resumes
      ? block
      : Object.assign({ ...block, text: this.#said(block.text) }, cited);
  }

  #said(text: string): string {
    const said = this.#resumes && text !== '' ? pause + text : text;
    if (text !== '') this.#resumes = false;
    this.text += said;
    return said;
  }

  /** A call that the client is to make in the model's stead. */
  *call({ id, name, input }: ToolUseBlock): Generator<ReplyEvent> {
    const index = this.#blocks++;
    this.calls.push(id);
    const partial_json = JSON.stringify(input ?? {});
    yield { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } };
    yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    yield { type: 'content_block_stop', index };
  }

  /** Words of the gateway's own. */
  *words(text: string): Generator<ReplyEvent> {
    const index = this.#blocks++;
    this.#resumes = this.text !== '';
    const said = this.#said(text);
    yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
    yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: said } };
    yield { type: 'content_block_stop', index };
  }
}

/** A citation that tells by an offset where it stands in a text that has a pause before it now. */
function moved(citation: unknown): unknown {
  if (!isJsonObject(citation) || typeof citation.offset !== 'number') return citation;
  return { ...citation, offset: citation.offset + pause.length };
}
