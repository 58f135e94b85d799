import { isJsonObject } from '../../lib/json.ts';
import type { Block, Delta, ReplyEvent, ToolUseBlock } from '../message.ts';
import { awaitedCallIdOf, type VisibleTurn } from './turn-history.ts';

/** The separator between texts before and after a hidden call. */
const pauseText = '\n\n';

/** Merges several rounds into one message: one start, consecutive block indexes, and no gateway tools. */
export class VisibleTurnWriter implements VisibleTurn {
  text = '';
  readonly calls: string[] = [];
  /** Whether anything was hidden. */
  hasHidden = false;
  readonly #isHidden: (block: Block) => boolean;
  #blockCount = 0;
  #rounds = 0;
  /** The client's block index for each block of this round; undefined for hidden ones. */
  #blockIndexes = new Map<number, number | undefined>();
  /** Whether this round has no text yet, after others that have. */
  #needsPause = false;
  /** The block of this round that follows a separator. */
  #shiftedBlock: number | undefined;

  constructor(isHidden: (block: Block) => boolean) {
    this.#isHidden = isHidden;
  }

  /** Writes one event of a round, without its end, which comes once for all rounds. */
  *write(event: ReplyEvent): Generator<ReplyEvent> {
    switch (event.type) {
      case 'message_start':
        this.#blockIndexes = new Map();
        this.#shiftedBlock = undefined;
        this.#needsPause = this.text !== '';
        if (this.#rounds++ === 0) yield event;
        return;
      case 'content_block_start':
        yield* this.#startBlock(event.index, event.content_block);
        return;
      case 'content_block_delta': {
        const index = this.#blockIndexes.get(event.index);
        if (index === undefined) return;
        yield { ...event, index, delta: this.#rewriteDelta(event.index, event.delta) };
        return;
      }
      case 'content_block_stop': {
        const index = this.#blockIndexes.get(event.index);
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

  #rewriteDelta(index: number, delta: Delta): Delta {
    if (delta.type === 'text_delta') {
      if (this.#needsPause && delta.text !== '') this.#shiftedBlock = index;
      return { ...delta, text: this.#appendText(delta.text) };
    }
    if (delta.type !== 'citations_delta' || index !== this.#shiftedBlock) return delta;
    return { ...delta, citation: shiftCitation(delta.citation) };
  }

  *#startBlock(index: number, block: Block): Generator<ReplyEvent> {
    const isHidden = this.#isHidden(block);
    this.hasHidden ||= isHidden;
    this.#blockIndexes.set(index, isHidden ? undefined : this.#blockCount);
    if (isHidden) return;
    const awaited = awaitedCallIdOf(block);
    if (typeof awaited === 'string') this.calls.push(awaited);
    yield {
      type: 'content_block_start',
      index: this.#blockCount++,
      content_block: this.#rewriteBlock(block),
    };
  }

  /** A text may start with citations before its content. */
  #rewriteBlock(block: Block): Block {
    if (block.type !== 'text') return block;
    const cited =
      this.#needsPause && 'citations' in block && Array.isArray(block.citations)
        ? { citations: block.citations.map(shiftCitation) }
        : {};
    return block.text === '' && !this.#needsPause
      ? block
      : Object.assign({ ...block, text: this.#appendText(block.text) }, cited);
  }

  #appendText(text: string): string {
    const written = this.#needsPause && text !== '' ? pauseText + text : text;
    if (text !== '') this.#needsPause = false;
    this.text += written;
    return written;
  }

  /** Writes a call that the client must make. */
  *writeToolCall({ id, name, input }: ToolUseBlock): Generator<ReplyEvent> {
    const index = this.#blockCount++;
    this.calls.push(id);
    const partial_json = JSON.stringify(input ?? {});
    yield { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } };
    yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    yield { type: 'content_block_stop', index };
  }

  /** Writes text of the gateway itself. */
  *writeText(text: string): Generator<ReplyEvent> {
    const index = this.#blockCount++;
    this.#needsPause = this.text !== '';
    const written = this.#appendText(text);
    yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
    yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: written } };
    yield { type: 'content_block_stop', index };
  }
}

/** Shifts the offsets of a citation in a text that now starts with a separator. */
function shiftCitation(citation: unknown): unknown {
  if (!isJsonObject(citation) || typeof citation.offset !== 'number') return citation;
  return { ...citation, offset: citation.offset + pauseText.length };
}
