import type { Delta } from '../../kernel/message.ts';
import { reasoningItem } from './encode-response.ts';
import type { ItemPosition, ItemSink } from './item-sink.ts';

/** Writes thinking as the summary of a reasoning item. */
export class ReasoningWriter {
  readonly #sink: ItemSink;
  readonly #position: ItemPosition;
  #text = '';
  signature = '';

  constructor(itemSink: ItemSink, ownId?: string) {
    this.#sink = itemSink;
    this.#position = itemSink.openItem('rs', (id) => reasoningItem(id, '', undefined), ownId);
  }

  append(delta: Delta): void {
    if (delta.type === 'signature_delta') this.signature += delta.signature;
    if (delta.type !== 'thinking_delta' || delta.thinking === '') return;
    const position = { ...this.#position, summary_index: 0 };
    if (this.#text === '')
      this.#sink.emit('response.reasoning_summary_part.added', { ...position, part: summary('') });
    this.#text += delta.thinking;
    this.#sink.emit('response.reasoning_summary_text.delta', { ...position, delta: delta.thinking });
  }

  /** `encrypted` lets the model continue from here later; it may include the item's own id. */
  finish(encrypted: string): void {
    const position = { ...this.#position, summary_index: 0 };
    if (this.#text !== '') {
      this.#sink.emit('response.reasoning_summary_text.done', { ...position, text: this.#text });
      this.#sink.emit('response.reasoning_summary_part.done', { ...position, part: summary(this.#text) });
    }
    this.#sink.completeItem(this.#position, reasoningItem(this.#position.item_id, this.#text, encrypted));
  }
}

function summary(text: string) {
  return { type: 'summary_text', text };
}
