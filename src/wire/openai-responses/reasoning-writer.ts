import type { Delta } from '../../kernel/message.ts';
import type { Place, Stage } from './stage.ts';
import { reasoningItem } from './write-response.ts';

/** Writes what a model thought as the summary of a reasoning item. */
export class ReasoningWriter {
  readonly #stage: Stage;
  readonly #place: Place;
  #text = '';
  signature = '';

  constructor(stage: Stage, ownId?: string) {
    this.#stage = stage;
    this.#place = stage.open('rs', (id) => reasoningItem(id, '', undefined), ownId);
  }

  grow(delta: Delta): void {
    if (delta.type === 'signature_delta') this.signature += delta.signature;
    if (delta.type !== 'thinking_delta' || delta.thinking === '') return;
    const place = { ...this.#place, summary_index: 0 };
    if (this.#text === '')
      this.#stage.emit('response.reasoning_summary_part.added', { ...place, part: summary('') });
    this.#text += delta.thinking;
    this.#stage.emit('response.reasoning_summary_text.delta', { ...place, delta: delta.thinking });
  }

  /** `encrypted` is what lets the model go on from here another time; with it may come the item's own id. */
  finish(encrypted: string | undefined): void {
    const place = { ...this.#place, summary_index: 0 };
    if (this.#text !== '') {
      this.#stage.emit('response.reasoning_summary_text.done', { ...place, text: this.#text });
      this.#stage.emit('response.reasoning_summary_part.done', { ...place, part: summary(this.#text) });
    }
    this.#stage.done(this.#place, reasoningItem(this.#place.item_id, this.#text, encrypted));
  }
}

function summary(text: string) {
  return { type: 'summary_text', text };
}
